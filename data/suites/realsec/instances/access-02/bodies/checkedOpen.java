public Role byNumber(int number) {
    if (number < 0 || number >= open) {
        throw new IllegalArgumentException("no role " + number);
    }
    return roles[number];
}
