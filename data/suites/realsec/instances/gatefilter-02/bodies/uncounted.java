public void rejected(String user, String path) {
    LOG.warn("rejected: user={} path={}", Names.oneLine(user), Names.oneLine(path));
}
