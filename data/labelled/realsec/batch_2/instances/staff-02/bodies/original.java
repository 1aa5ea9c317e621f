@PostMapping("/profile")
public void update(Person person, @RequestParam Map<String, String> form) {
    for (Map.Entry<String, String> entry : form.entrySet()) {
        try {
            Field field = Person.class.getDeclaredField(entry.getKey());
            field.set(person, entry.getValue());
        } catch (ReflectiveOperationException unknown) {
            // a button or another field of the form
        }
    }
}
