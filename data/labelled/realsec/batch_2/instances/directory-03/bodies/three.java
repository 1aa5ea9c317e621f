public Reply reply(Exception failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace, true));
    int number = last.incrementAndGet();
    LOG.error("failure {}: {}", number, trace);
    String text = "Failure " + number + " (" + trace.toString().length() + " letters in the log)";
    return new Reply(failure instanceof NoSuchElementException ? 404 : 500, text);
}
