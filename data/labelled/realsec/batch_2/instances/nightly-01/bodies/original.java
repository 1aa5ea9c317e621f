public Path begin(String job, String text) throws IOException {
    Path file = shared.resolve(job + ".tmp");
    Files.writeString(file, text);
    return file;
}
