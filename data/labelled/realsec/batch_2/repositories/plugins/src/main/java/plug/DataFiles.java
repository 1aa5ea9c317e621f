package plug;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The data files of one plug-in. */
public class DataFiles {
    private final Path folder;

    /** folder: exists and is absolute. */
    public DataFiles(Path folder) {
        this.folder = folder.normalize();
    }

    public String text(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    public long count() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).count();
        }
    }
}
