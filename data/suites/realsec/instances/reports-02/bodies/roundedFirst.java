public long cents(int quantity, int unitCents, int percent) {
    if (percent < 0 || percent > 100) {
        throw new IllegalArgumentException("percent: " + percent);
    }
    long one = (long) unitCents / 100 * (100 - percent);
    return Math.multiplyExact((long) quantity, one);
}
