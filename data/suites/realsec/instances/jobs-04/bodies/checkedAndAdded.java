public boolean run(String name, Runnable job) {
    if (started.contains(name)) {
        return false;
    }
    boolean first = started.add(name);
    if (first) {
        job.run();
    }
    return first;
}
