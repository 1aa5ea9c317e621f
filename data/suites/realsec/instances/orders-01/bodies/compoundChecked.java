void add(int earned) {
    if (earned < 0) {
        throw new IllegalArgumentException("negative: " + earned);
    }
    if ((long) points + earned > Short.MAX_VALUE) {
        throw new IllegalStateException("the account is full");
    }
    points += earned;
}
