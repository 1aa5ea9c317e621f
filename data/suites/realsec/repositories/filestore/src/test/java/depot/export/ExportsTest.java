package depot.export;

import static org.junit.jupiter.api.Assertions.*;

import depot.store.Depot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExportsTest {
    private static final Path OLD = Path.of(System.getProperty("java.io.tmpdir"), "depot-export.txt");
    private Depot depot;

    @BeforeEach
    void make() throws IOException {
        Files.deleteIfExists(OLD);
        depot = new Depot(Files.createTempDirectory("depot"));
        depot.write("a.txt", "first");
        depot.write("b.txt", "zweite Zeile ü");
    }

    @Test
    void putsFilesTogether() throws IOException {
        Path staged = new Exports(depot).stage(List.of("a.txt", "b.txt"));
        assertEquals("# a.txt\nfirst\n# b.txt\nzweite Zeile ü\n", Files.readString(staged));
    }

    @Test
    void aMissingFileIsAnError() {
        assertThrows(IOException.class, () -> new Exports(depot).stage(List.of("c.txt")));
    }

    @Test
    void othersCannotReadIt() throws IOException {
        Path staged = new Exports(depot).stage(List.of("a.txt"));
        Set<PosixFilePermission> file = Files.getPosixFilePermissions(staged);
        Set<PosixFilePermission> folder = Files.getPosixFilePermissions(staged.getParent());
        assertFalse(file.contains(PosixFilePermission.OTHERS_READ)
                && folder.contains(PosixFilePermission.OTHERS_EXECUTE), file.toString());
    }

    @Test
    void aFilePlacedBeforeIsNotWrittenTo() throws IOException {
        Path target = Files.createTempFile("victim", ".txt");
        Files.createSymbolicLink(OLD, target);
        try {
            new Exports(depot).stage(List.of("a.txt"));
        } catch (IOException refused) {
            // refusing is fine
        }
        assertEquals("", Files.readString(target));
    }
}
