public Path stage(List<String> names) throws IOException {
    Path staged = Files.createTempFile("depot-export", ".txt");
    for (String name : names) {
        Files.writeString(staged, depot.read(name) + "\n", java.nio.file.StandardOpenOption.APPEND);
    }
    return staged;
}
