public Path begin(String job, String text) throws IOException {
    Path own = Files.createTempDirectory(shared, "night");
    Path file = own.resolve(job + ".tmp");
    Files.writeString(file, text);
    return file;
}
