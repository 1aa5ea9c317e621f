public boolean accepts(String token) {
    if (token == null || token.isBlank()) {
        LOG.info("request without a token");
        return false;
    }
    boolean valid = known.contains(token.trim());
    LOG.info("token {} is {}", token.trim(), valid ? "valid" : "unknown");
    return valid;
}
