public int grant(int wanted) {
    int granted = Math.max(0, Math.min(wanted, left));
    left = (short) (left - granted);
    return granted;
}
