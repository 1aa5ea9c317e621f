public String part(int number) {
    if (number < 0 || number >= count) {
        throw new IllegalArgumentException("no part " + number);
    }
    return table[first + number];
}
