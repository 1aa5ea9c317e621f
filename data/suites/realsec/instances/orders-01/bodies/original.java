void add(int earned) {
    if (earned < 0) {
        throw new IllegalArgumentException("negative: " + earned);
    }
    points += earned;
}
