private Path scratch(String text) throws IOException {
    File file = File.createTempFile("report", ".tsv");
    if (!file.setReadable(false, false) || !file.setReadable(true, true)) {
        throw new IOException("no rights to be had");
    }
    try (Writer out = new FileWriter(file, StandardCharsets.UTF_8)) {
        out.write(text);
    }
    return file.toPath();
}
