package bundle.in;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;

/** Names of files that must be below a folder. */
class Below {
    private final File folder;

    Below(Path folder) {
        this.folder = folder.toFile();
    }

    Path find(String name) throws IOException {
        File file = new File(folder, name).getCanonicalFile();
        if (!file.getPath().startsWith(folder.getCanonicalPath())) {
            throw new IOException("not in this archive: " + name);
        }
        return file.toPath();
    }
}
