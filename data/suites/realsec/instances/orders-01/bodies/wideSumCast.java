void add(int earned) {
    if (earned < 0) {
        throw new IllegalArgumentException("negative: " + earned);
    }
    int sum = Math.addExact(points, earned);
    points = (short) sum;
}
