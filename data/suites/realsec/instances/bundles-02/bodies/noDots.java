Path find(String name) throws IOException {
    if (name.contains("..") || name.startsWith("/")) {
        throw new IOException("not in this archive: " + name);
    }
    return new File(folder, name).getCanonicalFile().toPath();
}
