public boolean accepts(String token) {
    boolean valid = known.contains(token);
    LOG.info("token is {}", valid ? "valid" : "unknown");
    return valid;
}
