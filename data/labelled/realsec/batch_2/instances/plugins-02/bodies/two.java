public String text(String name) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
        Path file = all.filter(Files::isRegularFile)
                .filter(path -> folder.relativize(path).toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new NoSuchFileException(name));
        return Files.readString(file);
    }
}
