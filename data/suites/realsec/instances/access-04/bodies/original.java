public void decided(String user, Right right, boolean allowed) {
    if (allowed) {
        LOG.info("{} may {}", user, right);
    } else {
        denied++;
        LOG.warn(String.format("denied (%d): %s wanted to %s", denied, user, right));
    }
}
