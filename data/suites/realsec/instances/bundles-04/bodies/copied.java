public String part(int number) {
    try {
        return java.util.List.of(table).subList(first, first + count).get(number - 1);
    } catch (IndexOutOfBoundsException absent) {
        throw new IllegalArgumentException("no part " + number, absent);
    }
}
