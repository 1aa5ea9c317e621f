public boolean reserve(long bytes) {
    synchronized (this) {
        if (meter.used() + bytes >= allowed) {
            return false;
        }
        meter.add(bytes);
        return true;
    }
}
