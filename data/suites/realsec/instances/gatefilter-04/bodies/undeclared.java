public boolean accepts(String token) {
    boolean valid = known.contains(clean);
    LOG.info("token is {}", valid ? "valid" : "unknown");
    return valid;
}
