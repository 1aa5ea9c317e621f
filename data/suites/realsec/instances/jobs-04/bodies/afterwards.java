public synchronized boolean run(String name, Runnable job) {
    if (started.contains(name)) {
        return false;
    }
    job.run();
    started.add(name);
    return true;
}
