public Path resolve(String name) throws IOException {
    Path path = root.resolve(name).normalize();
    if (!path.startsWith(root)) {
        throw new NoSuchFileException(name);
    }
    return path;
}
