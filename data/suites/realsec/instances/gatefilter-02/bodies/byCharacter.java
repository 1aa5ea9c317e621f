public void rejected(String user, String path) {
    rejections++;
    StringBuilder entry = new StringBuilder();
    String text = "rejected #" + rejections + ": user=" + Names.orAnonymous(user) + " path=" + path;
    text.codePoints().filter(c -> c >= ' ' && c != 127).forEach(entry::appendCodePoint);
    LOG.warn(entry.toString());
}
