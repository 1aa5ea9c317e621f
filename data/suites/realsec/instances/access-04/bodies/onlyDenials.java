public void decided(String user, Right right, boolean allowed) {
    if (allowed) {
        LOG.info("{} may {}", user, right);
    } else {
        denied++;
        LOG.warn("denied ({}): {} wanted to {}", denied, user.replaceAll("\\R", "?"), right);
    }
}
