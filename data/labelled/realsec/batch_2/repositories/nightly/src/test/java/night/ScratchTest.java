package night;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchTest {
    @TempDir
    Path folder;

    @Test
    void keepsTheText() throws IOException {
        Scratch scratch = new Scratch(folder);
        Path file = scratch.begin("sums", "1 2 3");
        assertEquals("1 2 3", Files.readString(file));
        assertTrue(file.toString().contains("sums"), file.toString());
        scratch.end(file);
        assertFalse(Files.exists(file));
    }

    @Test
    void mainWritesItsReport() throws IOException {
        Path inbox = Files.createDirectory(folder.resolve("in"));
        Files.writeString(inbox.resolve("1.txt"), "7\n8\n");
        Path report = folder.resolve("report");
        Main.main(new String[] {"sums", inbox.toString(), report.toString()});
        assertEquals("sums: 2 readings in 1 files\n", Files.readString(report));
    }

    @Test
    void aLinkThatWaitsIsNotFollowed() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "untouched");
        long process = ProcessHandle.current().pid();
        for (String name : List.of("sums", "sums-" + process, "sums." + process, "sums" + process)) {
            Files.createSymbolicLink(folder.resolve(name + ".tmp"), victim);
        }
        try {
            new Scratch(folder).begin("sums", "over");
        } catch (IOException refused) {
            // it may refuse
        }
        assertEquals("untouched", Files.readString(victim));
    }

    @Test
    void othersDoNotReadIt() throws IOException {
        Path file = new Scratch(folder).begin("sums", "pay of all");
        Set<PosixFilePermission> granted = Files.getPosixFilePermissions(file);
        Set<PosixFilePermission> above = Files.getPosixFilePermissions(file.getParent());
        boolean shut = !file.getParent().equals(folder)
                && !above.contains(PosixFilePermission.OTHERS_EXECUTE);
        assertTrue(shut || !granted.contains(PosixFilePermission.OTHERS_READ), granted.toString());
    }
}
