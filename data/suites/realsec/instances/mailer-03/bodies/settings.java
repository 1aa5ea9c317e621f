public int carry(List<Letter> letters) {
    if (letters.isEmpty()) {
        return 0;
    }
    char[] password = settings.password();
    relay.login(settings.user(), password);
    java.util.Arrays.fill(password, ' ');
    letters.forEach(letter -> {
        relay.send(letter);
        record.delivered(letter);
    });
    return letters.size();
}
