public synchronized boolean take(int bytes) {
    if (bytes < 0 || bytes >= left) {
        return false;
    }
    left -= bytes;
    return true;
}
