public void rejected(String user, String path) {
    rejections++;
    String name = Names.orAnonymous(user);
    LOG.warn("rejected #{}: user={} path={}", rejections, name, path);
}
