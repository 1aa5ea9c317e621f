import java.nio.file.Path;

public String read(String bed) throws IOException {
    Path root = shelf.toPath().toAbsolutePath().normalize();
    Path note = root.resolve(bed + ENDING).normalize();
    if (!note.startsWith(root) || !Files.isRegularFile(note)) {
        throw new IOException("no note about " + bed);
    }
    return Files.readString(note, StandardCharsets.UTF_8);
}
