private Path scratch(String text) throws IOException {
    File file = File.createTempFile("report", ".tsv");
    try (Writer out = new FileWriter(file, StandardCharsets.UTF_8)) {
        out.write(text);
    }
    return file.toPath();
}
