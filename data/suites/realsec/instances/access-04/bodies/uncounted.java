public void decided(String user, Right right, boolean allowed) {
    String name = user.replaceAll("[\r\n]", "_");
    if (allowed) {
        LOG.info("{} may {}", name, right);
    } else {
        LOG.warn("denied ({}): {} wanted to {}", denied, name, right);
    }
}
