public Role byNumber(int number) {
    try {
        return roles[java.util.Objects.checkIndex(number, open)];
    } catch (IndexOutOfBoundsException absent) {
        throw new IllegalArgumentException("no role " + number);
    }
}
