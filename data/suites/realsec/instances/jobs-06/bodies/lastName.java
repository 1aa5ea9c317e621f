public String read(String name) throws IOException {
    Path file = folder.resolve(Path.of("./" + name).getFileName());
    if (!Files.isRegularFile(file)) {
        throw new NoSuchFileException(name);
    }
    return Files.readString(file);
}
