@PostMapping("/profile")
public void update(Person person, @RequestParam Map<String, String> form) {
    for (Field field : Person.class.getDeclaredFields()) {
        String value = form.get(field.getName());
        boolean fixed = field.getName().equals("role") || field.getName().equals("name");
        if (value != null && !fixed) {
            try {
                field.set(person, value);
            } catch (IllegalAccessException shut) {
                throw new IllegalStateException(shut);
            }
        }
    }
}
