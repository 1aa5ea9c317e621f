public String text(String name) throws IOException {
    Path file = folder.resolve(name).normalize();
    if (!file.startsWith(folder)) {
        throw new NoSuchFileException(name);
    }
    return Files.readString(file);
}
