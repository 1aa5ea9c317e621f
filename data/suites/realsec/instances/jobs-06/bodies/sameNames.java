public String read(String name) throws IOException {
    if (!name.matches("[a-z0-9-]+(/[a-z0-9-]+)?")) {
        throw new NoSuchFileException(name);
    }
    Path file = folder.resolve(name);
    if (!Files.isRegularFile(file)) {
        throw new NoSuchFileException(name);
    }
    return Files.readString(file);
}
