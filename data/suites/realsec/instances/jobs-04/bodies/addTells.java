public boolean run(String name, Runnable job) {
    if (!started.add(name)) {
        return false;
    }
    job.run();
    return true;
}
