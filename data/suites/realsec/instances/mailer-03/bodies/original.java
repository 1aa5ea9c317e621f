public int carry(List<Letter> letters) {
    if (letters.isEmpty()) {
        return 0;
    }
    char[] password = {'p', 'o', 's', 't', '-', '8', '8'};
    relay.login(settings.user(), password);
    for (Letter letter : letters) {
        relay.send(letter);
        record.delivered(letter);
    }
    return letters.size();
}
