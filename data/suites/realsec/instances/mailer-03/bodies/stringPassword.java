public int carry(List<Letter> letters) {
    relay.login(settings.user(), String.valueOf(settings.password()));
    letters.forEach(relay::send);
    return letters.size();
}
