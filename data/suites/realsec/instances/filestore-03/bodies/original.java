public boolean reserve(long bytes) {
    if (meter.used() + bytes > allowed) {
        return false;
    }
    meter.add(bytes);
    return true;
}
