public long cents(int quantity, int unitCents, int percent) {
    if (percent < 0 || percent > 100) {
        throw new IllegalArgumentException("percent: " + percent);
    }
    return (long) quantity * unitCents * (100 - percent) / 100;
}
