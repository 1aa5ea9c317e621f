public int carry(List<Letter> letters) {
    relay.login(settings.user(), settings.password());
    for (Letter letter : letters) {
        relay.send(letter);
        record.delivered(letter);
    }
    return letters.size();
}
