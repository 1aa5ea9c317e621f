@PostMapping("/profile")
public void update(Person person, @RequestParam Map<String, String> form) {
    form.forEach((name, value) -> {
        try {
            Field field = Person.class.getDeclaredField(name);
            if (field.isAnnotationPresent(Editable.class)) {
                field.set(person, value);
            }
        } catch (ReflectiveOperationException unknown) {
            // no field of a person
        }
    });
}
