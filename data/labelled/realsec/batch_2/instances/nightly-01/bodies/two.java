public Path begin(String job, String text) throws IOException {
    Path file = Files.createTempFile(shared, job, ".tmp");
    return Files.writeString(file, text);
}
