public String read(String name) throws IOException {
    Path file = folder.resolve(name).normalize();
    if (!file.toString().startsWith(folder.toString()) || !Files.isRegularFile(file)) {
        throw new NoSuchFileException(name);
    }
    return Files.readString(file);
}
