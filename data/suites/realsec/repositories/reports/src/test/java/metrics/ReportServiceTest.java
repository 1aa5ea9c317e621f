package metrics;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReportServiceTest {
    private static final String UPLOAD = "Pencil;10;120\nRed Pen;2;300\nbroken line\nInk (red);1;999\n";
    private final ReportService service = new ReportService();

    @Test
    void writesAReport() throws IOException {
        Path path = service.report(UPLOAD, "pen");
        assertEquals("rows with pen\nPencil\t10\nRed Pen\t2\ntotal\t1800\n", Files.readString(path));
        assertNotEquals(path, service.report(UPLOAD, "pen"));
    }

    @Test
    void anEmptyTermTakesAll() throws IOException {
        assertTrue(Files.readString(service.report(UPLOAD, "")).endsWith("total\t2799\n"));
    }

    @Test
    void keepsTheLettersOfLabels() throws IOException {
        Path path = service.report("Füller;1;1\n", "");
        assertEquals("all rows\nFüller\t1\ntotal\t1\n", Files.readString(path));
    }

    @Test
    void theFileIsTheOwners() throws IOException {
        Path path = service.report(UPLOAD, "");
        Set<PosixFilePermission> file = Files.getPosixFilePermissions(path);
        Set<PosixFilePermission> folder = Files.getPosixFilePermissions(path.getParent());
        assertFalse((file.contains(PosixFilePermission.OTHERS_READ)
                || file.contains(PosixFilePermission.GROUP_READ))
                && folder.contains(PosixFilePermission.OTHERS_EXECUTE), file.toString());
    }
}
