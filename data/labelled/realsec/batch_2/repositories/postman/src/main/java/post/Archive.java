package post;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Letters as files of a folder. The folder has other things in it, too. */
public class Archive {
    private final Path folder;

    public Archive(Path folder) {
        this.folder = folder;
    }

    public void send(List<String> receivers, String text) {
        Letter.numbered(receivers, text).forEach(letter -> {
            try {
                Files.writeString(folder.resolve(letter.file()),
                        "To " + letter.receiver() + "\n" + letter.text() + "\n");
            } catch (IOException full) {
                throw new UncheckedIOException(full);
            }
        });
    }

    public List<String> search(String word) throws IOException {
        return new Search(folder).lettersWith(word);
    }
}
