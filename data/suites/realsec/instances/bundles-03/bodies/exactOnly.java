public synchronized boolean take(int bytes) {
    int rest;
    try {
        rest = Math.subtractExact(left, bytes);
    } catch (ArithmeticException outOfRange) {
        return false;
    }
    if (rest < 0) {
        return false;
    }
    left = rest;
    return true;
}
