package cron.exec;

import java.io.File;
import java.io.FileNotFoundException;
import java.util.List;

/** Finds the programs that jobs may use. */
public class Tools {
    private final List<String> folders;

    /** folders: where programs are, absolute paths like /usr/bin. */
    public Tools(List<String> folders) {
        this.folders = List.copyOf(folders);
    }

    public List<String> folders() {
        return folders;
    }

    public String find(File work, String name) throws FileNotFoundException {
        if (new File(work, name).canExecute()) {
            return "./" + name;
        }
        for (String folder : folders) {
            if (new File(folder, name).canExecute()) {
                return name;
            }
        }
        throw new FileNotFoundException(name);
    }
}
