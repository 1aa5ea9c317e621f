public synchronized boolean take(int bytes) {
    if (bytes != Math.abs(bytes) || bytes == Integer.MIN_VALUE) {
        throw new IllegalArgumentException("negative: " + bytes);
    }
    int rest = Math.subtractExact(left, bytes);
    if (rest < 0) {
        return false;
    }
    left = rest;
    return true;
}
