public boolean reserve(long bytes) {
    boolean fits;
    synchronized (meter) {
        fits = true;
    }
    if (meter.used() + bytes > allowed) {
        fits = false;
    }
    synchronized (meter) {
        if (fits) {
            meter.add(bytes);
        }
    }
    return fits;
}
