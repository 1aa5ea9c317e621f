public synchronized boolean take(int bytes) {
    if (left - bytes < 0) {
        return false;
    }
    left -= bytes;
    return true;
}
