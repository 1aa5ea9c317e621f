public boolean accepts(String token) {
    boolean given = token != null && !token.isBlank();
    boolean valid = given && known.contains(token.trim());
    LOG.info("token of {} characters is {}", given ? token.trim().length() : 0,
            valid ? "valid" : "unknown");
    return valid;
}
