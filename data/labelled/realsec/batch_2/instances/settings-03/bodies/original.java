void write(String text) throws IOException {
    Files.writeString(file, text);
}
