package night;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files "*.txt" of a folder. */
public class FolderInbox implements Inbox {
    private final Path folder;

    public FolderInbox(Path folder) {
        this.folder = folder;
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(".txt")).sorted().toList();
        }
    }

    @Override
    public BufferedReader open(String name) throws IOException {
        return Files.newBufferedReader(folder.resolve(name));
    }
}
