public String part(int number) {
    if (number < 1 || number > table.size()) {
        throw new IllegalArgumentException("no part " + number);
    }
    return table[first + number - 1];
}
