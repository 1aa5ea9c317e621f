public String read(String bed) throws IOException {
    File note = new File(shelf, bed + ENDING);
    if (!note.isFile()) {
        throw new IOException("no note about " + bed);
    }
    return Files.readString(note.toPath(), StandardCharsets.UTF_8);
}
