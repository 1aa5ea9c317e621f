public int grant(int wanted) {
    int count = Math.abs(wanted);
    int granted = Math.min(count, left);
    left -= granted;
    return granted;
}
