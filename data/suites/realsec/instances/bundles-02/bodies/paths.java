Path find(String name) throws IOException {
    Path path = new File(folder, name).getCanonicalFile().toPath();
    if (!path.startsWith(folder.getCanonicalFile().toPath())) {
        throw new IOException("not in this archive: " + name);
    }
    return path;
}
