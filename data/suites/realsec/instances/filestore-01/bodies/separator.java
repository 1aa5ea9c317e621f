public Path resolve(String name) throws IOException {
    String path = root.resolve(name).normalize().toString();
    if (!(path + "/").startsWith(root.toString() + "/")) {
        throw new NoSuchFileException(name);
    }
    return Path.of(path);
}
