package bundle.in;

import bundle.model.Manifest;
import bundle.model.ManifestReader;
import bundle.quota.Allowance;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Unpacks one archive for one customer. */
public class Importer {
    private final Path folder;
    private final Allowance allowance;
    private final ManifestReader manifests = new ManifestReader();

    public Importer(Path folder, Allowance allowance) throws IOException {
        this.folder = Files.createDirectories(folder).toAbsolutePath().normalize();
        this.allowance = allowance;
    }

    public int unpack(InputStream archive) throws IOException {
        int files = 0;
        try (ZipInputStream zip = new ZipInputStream(archive)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path target = folder.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else {
                    Files.createDirectories(target.getParent());
                    Files.write(target, zip.readAllBytes());
                    files++;
                }
            }
        }
        return files;
    }

    /** Reads the manifest first and takes what it declares from the customer's allowance. */
    public Parts accept(String manifestText) throws IOException {
        Manifest manifest = manifests.read(manifestText);
        if (!allowance.take(manifest.declaredBytes())) {
            throw new IOException("more than what is left of the allowance");
        }
        return new Parts(folder, manifest);
    }
}
