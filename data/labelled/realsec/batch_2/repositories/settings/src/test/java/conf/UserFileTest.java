package conf;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserFileTest {
    @TempDir
    Path folder;

    @Test
    void keepsValues() throws IOException {
        UserFile file = new UserFile(folder.resolve("own.conf"));
        file.set("mail.host", "post.example");
        file.set("mail.password", "p=q");
        file.set("mail.host", "brief.example");
        assertEquals(Map.of("mail.host", "brief.example", "mail.password", "p=q"), file.values());
    }

    @Test
    void shorterTextReplacesLonger() throws IOException {
        Path path = folder.resolve("own.conf");
        new UserFile(path).write("a=1234567890\n");
        new UserFile(path).write("a=1\n");
        assertEquals("a=1\n", Files.readString(path));
    }

    private static void own(Path path) throws IOException {
        Set<PosixFilePermission> granted = Files.getPosixFilePermissions(path);
        granted.remove(PosixFilePermission.OWNER_READ);
        granted.remove(PosixFilePermission.OWNER_WRITE);
        assertEquals(Set.of(), granted);
    }

    @Test
    void aNewFileIsForItsOwner() throws IOException {
        Path path = folder.resolve("own.conf");
        new UserFile(path).set("mail.password", "pq");
        own(path);
    }

    @Test
    void soIsOneThatWasThere() throws IOException {
        Path path = Files.createFile(folder.resolve("own.conf"));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
        new UserFile(path).set("mail.password", "pq");
        own(path);
    }
}
