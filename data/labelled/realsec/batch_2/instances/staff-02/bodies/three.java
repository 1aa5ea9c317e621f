@PostMapping("/profile")
public void update(Person person, @RequestParam Map<String, String> form) {
    person.room = form.getOrDefault("room", person.room);
    person.phone = form.getOrDefault("phone", person.phone);
}
