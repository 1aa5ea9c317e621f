public Path resolve(String name) throws IOException {
    Path path = root.resolve(name).normalize();
    if (!path.toString().startsWith(root.toString())) {
        throw new NoSuchFileException(name);
    }
    return path;
}
