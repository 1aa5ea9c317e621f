public long cents(int quantity, int unitCents, int percent) {
    if (percent < 0 || percent > 100) {
        throw new IllegalArgumentException("percent: " + percent);
    }
    int full = Math.multiplyExact(quantity, unitCents);
    return Math.multiplyExact(full, 100 - percent) / 100;
}
