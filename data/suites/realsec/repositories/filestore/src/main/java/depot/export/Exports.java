package depot.export;

import depot.store.Depot;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Puts files of a depot together into one text for another program. */
public class Exports {
    private final Depot depot;

    public Exports(Depot depot) {
        this.depot = depot;
    }

    public Path stage(List<String> names) throws IOException {
        Path staged = Path.of(System.getProperty("java.io.tmpdir"), "depot-export.txt");
        try (Writer out = Files.newBufferedWriter(staged, StandardCharsets.UTF_8)) {
            for (String name : names) {
                out.write("# " + name + "\n");
                out.write(depot.read(name));
                out.write("\n");
            }
        }
        return staged;
    }
}
