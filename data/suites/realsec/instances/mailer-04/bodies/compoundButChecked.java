public int grant(int wanted) {
    if (wanted < 0) {
        throw new IllegalArgumentException("negative: " + wanted);
    }
    int granted = wanted < left ? wanted : left;
    left -= granted;
    return granted;
}
