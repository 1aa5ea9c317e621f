public Reply reply(Exception failure) {
    int number = last.incrementAndGet();
    LOG.error("failure {}", number, failure);
    int status = failure instanceof NoSuchElementException ? 404 : 500;
    return new Reply(status, "Failure " + number + ": please ask the help desk.");
}
