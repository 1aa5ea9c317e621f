public String part(int number) {
    return table[first + number - 1];
}
