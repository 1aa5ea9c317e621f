private Path scratch(String text) throws IOException {
    Path file = java.nio.file.Files.createTempFile("report", ".tsv");
    return java.nio.file.Files.write(file, text.getBytes(StandardCharsets.US_ASCII));
}
