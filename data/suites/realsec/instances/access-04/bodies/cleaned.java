public void decided(String user, Right right, boolean allowed) {
    String name = String.valueOf(user).replaceAll("\\p{Cntrl}", "?");
    if (allowed) {
        LOG.info("{} may {}", name, right);
    } else {
        denied++;
        LOG.warn("denied ({}): {} wanted to {}", denied, name, right);
    }
}
