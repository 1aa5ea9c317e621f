public boolean reserve(long bytes) {
    synchronized (this) {
        if (meter.used() + bytes <= allowed) {
            meter.add(bytes);
            return true;
        }
    }
}
