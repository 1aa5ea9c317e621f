public void rejected(String user, String path) {
    rejections++;
    String name = Names.orAnonymous(user).replaceAll("[\\r\\n]+", " ");
    LOG.warn("rejected #" + rejections + ": user=" + name + " path=" + path);
}
