public int grant(int wanted) {
    if (left - wanted >= 0) {
        left -= wanted;
        return wanted;
    }
    int granted = left;
    left = 0;
    return granted;
}
