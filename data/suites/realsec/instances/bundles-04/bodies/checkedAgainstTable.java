public String part(int number) {
    int index = first + number - 1;
    if (index < 0 || index >= table.length) {
        throw new IllegalArgumentException("no part " + number);
    }
    return table[index];
}
