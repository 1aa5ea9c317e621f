public void decided(String user, Right right, boolean allowed) {
    String clean = user.strip();
    clean = clean.substring(0, Math.min(64, clean.length()));
    if (allowed) {
        LOG.info("{} may {}", clean, right);
    } else {
        LOG.warn("denied ({}): {} wanted to {}", ++denied, clean, right);
    }
}
