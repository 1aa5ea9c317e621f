Path find(String name) throws IOException {
    String path = new File(folder, name).getCanonicalPath();
    if (!path.startsWith(folder.getCanonicalPath() + File.separator)) {
        throw new IOException("not in this archive: " + name);
    }
    return Path.of(path);
}
