public String text(String name) throws IOException {
    if (name.startsWith("..") || name.startsWith("/") || name.contains("\\")) {
        throw new NoSuchFileException(name);
    }
    return Files.readString(folder.resolve(name));
}
