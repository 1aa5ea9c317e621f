private Path scratch(String text) throws IOException {
    return java.nio.file.Files.writeString(
            java.nio.file.Files.createTempFile("report", ".tsv"), text, StandardCharsets.UTF_8);
}
