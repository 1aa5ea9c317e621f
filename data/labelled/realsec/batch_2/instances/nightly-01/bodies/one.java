public Path begin(String job, String text) throws IOException {
    long process = ProcessHandle.current().pid();
    Path file = shared.resolve(job + "-" + process + ".tmp");
    Files.writeString(file, text);
    file.toFile().deleteOnExit();
    return file;
}
