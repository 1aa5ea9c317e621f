public boolean run(String name, Runnable job) {
    Object guard = new Object();
    synchronized (guard) {
        if (started.contains(name)) {
            return false;
        }
        started.add(name);
    }
    job.run();
    return true;
}
