public boolean run(String name, Runnable job) {
    if (started.contains(name)) {
        return false;
    }
    started.add(name);
    job.run();
    return true;
}
