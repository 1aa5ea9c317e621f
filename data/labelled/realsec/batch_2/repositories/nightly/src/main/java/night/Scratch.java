package night;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files to work in, below the temporary folder that all users of the machine share. */
public class Scratch {
    private final Path shared;

    public Scratch(Path shared) {
        this.shared = shared;
    }

    public Path begin(String job, String text) throws IOException {
        Path file = shared.resolve(job + ".tmp");
        Files.writeString(file, text);
        return file;
    }

    public void end(Path file) throws IOException {
        Files.deleteIfExists(file);
    }
}
