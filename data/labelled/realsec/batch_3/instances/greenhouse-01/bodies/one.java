public String read(String bed) throws IOException {
    File note = new File(shelf, bed + ENDING).getCanonicalFile();
    boolean ours = note.getPath().startsWith(shelf.getCanonicalPath());
    if (ours && note.isFile()) {
        return Files.readString(note.toPath(), StandardCharsets.UTF_8);
    }
    throw new IOException("no note about " + bed);
}
