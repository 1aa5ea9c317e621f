package bundle.in;

import bundle.model.Manifest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The parts of an unpacked archive by their number and by their name. */
public class Parts {
    private final Path folder;
    private final Manifest manifest;

    Parts(Path folder, Manifest manifest) {
        this.folder = folder;
        this.manifest = manifest;
    }

    public String text(String number) throws IOException {
        return textOf(manifest.part(Integer.parseInt(number)));
    }

    /** The text of a part by its name. */
    public String textOf(String name) throws IOException {
        return Files.readString(new Below(folder).find(name), StandardCharsets.UTF_8);
    }
}
