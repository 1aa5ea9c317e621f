public String read(String name) throws IOException {
    Path file = folder.resolve(name);
    if (!file.startsWith(folder) || !Files.isRegularFile(file)) {
        throw new NoSuchFileException(name);
    }
    return Files.readString(file);
}
