void add(int earned) {
    if (earned < 0) {
        throw new IllegalArgumentException("negative: " + earned);
    }
    if (earned > Short.MAX_VALUE - points) {
        throw new IllegalStateException("the account is full");
    }
    points = (short) (points + earned);
}
