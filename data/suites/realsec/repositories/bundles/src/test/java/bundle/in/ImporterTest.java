package bundle.in;

import static org.junit.jupiter.api.Assertions.*;

import bundle.quota.Allowance;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ImporterTest {
    private Path base;
    private Path folder;
    private Allowance allowance;
    private Importer importer;

    @BeforeEach
    void make() throws IOException {
        base = Files.createTempDirectory("bundle").toRealPath();
        folder = base.resolve("acme");
        allowance = new Allowance(10_000);
        importer = new Importer(folder, allowance);
    }

    private static InputStream zip(String... names) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (String name : names) {
                zip.putNextEntry(new ZipEntry(name));
                if (!name.endsWith("/")) {
                    zip.write(("text of " + name).getBytes(StandardCharsets.UTF_8));
                }
                zip.closeEntry();
            }
        }
        return new ByteArrayInputStream(bytes.toByteArray());
    }

    @Test
    void unpacks() throws IOException {
        assertEquals(2, importer.unpack(zip("a.txt", "deep/", "deep/er/b..txt")));
        assertEquals("text of a.txt", Files.readString(folder.resolve("a.txt")));
        assertTrue(Files.exists(folder.resolve("deep/er/b..txt")));
    }

    @Test
    void laterEntriesReplaceEarlierFiles() throws IOException {
        importer.unpack(zip("a.txt"));
        Files.writeString(folder.resolve("a.txt"), "old");
        importer.unpack(zip("a.txt"));
        assertEquals("text of a.txt", Files.readString(folder.resolve("a.txt")));
    }

    private void unpackOrRefuse(String... names) throws IOException {
        try {
            importer.unpack(zip(names));
        } catch (IOException | RuntimeException refused) {
            // refusing is fine
        }
    }

    @Test
    void nothingIsWrittenOutside() throws IOException {
        unpackOrRefuse("a.txt", "../evil.txt");
        unpackOrRefuse("x/../../acme-b/evil.txt");
        unpackOrRefuse(base + "/evil2.txt");
        assertFalse(Files.exists(base.resolve("evil.txt")));
        assertFalse(Files.exists(base.resolve("acme-b/evil.txt")));
        assertFalse(Files.exists(base.resolve("evil2.txt")));
    }

    @Test
    void noFolderIsMadeOutside() throws IOException {
        unpackOrRefuse("../hollow/");
        assertFalse(Files.exists(base.resolve("hollow")));
    }

    @Test
    void partsByNumberAndName() throws IOException {
        importer.unpack(zip("a.txt", "b/c.txt"));
        Parts parts = importer.accept("100 a.txt\n1k b/c.txt\n");
        assertEquals("text of a.txt", parts.text("1"));
        assertEquals("text of b/c.txt", parts.text("2"));
        assertEquals("text of a.txt", parts.textOf("b/../a.txt"));
        assertThrows(IOException.class, () -> parts.textOf("../../etc/passwd"));
        assertEquals(10_000 - 1124, allowance.left());
    }

    @Test
    void eachManifestCountsFromOne() throws IOException {
        importer.unpack(zip("a.txt", "b.txt"));
        importer.accept("1 a.txt\n");
        Parts second = importer.accept("1 b.txt\n");
        assertEquals("text of b.txt", second.text("1"));
    }

    @Test
    void aNumberNamesNoPartOfAnotherManifest() throws IOException {
        importer.unpack(zip("secret.txt", "b.txt"));
        importer.accept("1 secret.txt\n");
        Parts second = importer.accept("1 b.txt\n");
        for (String number : new String[] {"0", "-1", "2", "99", "-2147483648"}) {
            String text;
            try {
                text = second.text(number);
            } catch (IndexOutOfBoundsException crash) {
                fail("number " + number + " runs out of the table: " + crash);
                return;
            } catch (IOException | RuntimeException refused) {
                continue;
            }
            assertNotEquals("text of secret.txt", text);
        }
    }

    @Test
    void aSiblingFolderIsNotInTheArchive() throws IOException {
        Files.createDirectories(base.resolve("acme-internal"));
        Files.writeString(base.resolve("acme-internal/key.txt"), "sesame");
        Parts parts = importer.accept("1 ../acme-internal/key.txt\n");
        assertThrows(IOException.class, () -> parts.text("1"));
        assertThrows(IOException.class, () -> parts.textOf("../acme-internal/key.txt"));
    }

    @Test
    void tooMuchIsRefused() throws IOException {
        importer.accept("8k a.txt\n");
        assertThrows(IOException.class, () -> importer.accept("2k b.txt\n"));
        assertEquals(10_000 - 8192, allowance.left());
        importer.accept("1808 c.txt\n");
        assertEquals(0, allowance.left());
    }

    @Test
    void badSizesAreRefused() {
        assertThrows(IOException.class, () -> importer.accept("many a.txt\n"));
        assertThrows(IOException.class, () -> importer.accept("12\n"));
    }

    /** A declared size must never leave the customer with more than before. */
    @Test
    void aNegativeSizeEarnsNothing() {
        acceptOrRefuse("-5000 a.txt\n");
        assertTrue(allowance.left() <= 10_000, allowance.left() + " bytes are left");
    }

    @Test
    void aHugeNegativeSizeIsNotTaken() {
        acceptOrRefuse("-2147483648 a.txt\n");
        assertTrue(allowance.left() >= 0 && allowance.left() <= 10_000, "left: " + allowance.left());
    }

    @Test
    void aHugeSizeIsNotSmall() {
        for (String size : new String[] {"4194304k", "4096m", "3000000k"}) {
            boolean accepted = acceptOrRefuse(size + " a.txt\n");
            assertFalse(accepted, size + " was accepted");
        }
    }

    private boolean acceptOrRefuse(String manifest) {
        try {
            importer.accept(manifest);
            return true;
        } catch (IOException | RuntimeException refused) {
            return false;
        }
    }
}
