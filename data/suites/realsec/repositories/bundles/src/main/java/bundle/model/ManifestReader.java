package bundle.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads "size name" lines; every manifest's names go into the same table. */
public class ManifestReader {
    private final List<String> names = new ArrayList<>();

    public Manifest read(String text) throws IOException {
        int first = names.size(), bytes = 0;
        for (String line : text.lines().toList()) {
            String[] parts = line.split(" ", 2);
            if (parts.length != 2) {
                throw new IOException("not a manifest: " + line);
            }
            bytes = Sizes.plus(bytes, Sizes.parse(parts[0]));
            names.add(parts[1]);
        }
        return new Manifest(names.toArray(String[]::new), first, names.size() - first, bytes);
    }
}
