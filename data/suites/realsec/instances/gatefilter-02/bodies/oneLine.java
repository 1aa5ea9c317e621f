public void rejected(String user, String path) {
    rejections++;
    LOG.warn("rejected #{}: user={} path={}", rejections,
            Names.oneLine(Names.orAnonymous(user)), Names.oneLine(path));
}
