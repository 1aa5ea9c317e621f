package depot.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Files of one owner, all of them below one folder. */
public class Depot {
    private final Path root;

    public Depot(Path root) throws IOException {
        this.root = Files.createDirectories(root).toRealPath();
    }

    public Path root() {
        return root;
    }

    public Path resolve(String name) throws IOException {
        Path path = root.resolve(name).normalize();
        if (!path.toString().startsWith(root.toString())) {
            throw new NoSuchFileException(name);
        }
        return path;
    }

    public void write(String name, String text) throws IOException {
        Path path = resolve(name);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text, StandardCharsets.UTF_8);
    }

    public String read(String name) throws IOException {
        return Files.readString(resolve(name), StandardCharsets.UTF_8);
    }

    public void delete(String name) throws IOException {
        Files.delete(resolve(name));
    }
}
