package cron.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What jobs have printed, a file for each below a folder. */
public class Results {
    private final Path folder;

    public Results(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    public void keep(String name, String text) throws IOException {
        if (!name.matches("[a-z0-9-]+(/[a-z0-9-]+)?")) {
            throw new IOException("no name of a result: " + name);
        }
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    public String read(String name) throws IOException {
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file)) {
            throw new NoSuchFileException(name);
        }
        return Files.readString(file);
    }
}
