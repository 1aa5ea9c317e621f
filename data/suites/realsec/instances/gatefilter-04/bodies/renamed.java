public boolean accepts(String token) {
    if (token == null || token.isBlank()) {
        LOG.info("nothing came");
        return false;
    }
    String value = token.trim();
    String result = known.contains(value) ? "valid" : "unknown";
    LOG.info("{} is {}", value, result);
    return result.equals("valid");
}
