package conf;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class XmlSourceTest {
    @TempDir
    Path folder;

    @Test
    void readsValues() throws IOException {
        XmlSource source = new XmlSource(
                "<settings><set name='port'>80</set><set name='host'> a &amp; b </set></settings>");
        assertEquals(Map.of("port", "80", "host", "a & b"), source.values());
        assertEquals(80, Settings.of(source).get(Key.number("port", 1)));
    }

    @Test
    void refusesWhatIsNoXml() {
        assertThrows(IOException.class, () -> new XmlSource("<settings><set></settings>").values());
    }

    private void keptBack(String text) {
        String shown;
        try {
            shown = new XmlSource(text).values().toString();
        } catch (IOException | RuntimeException refused) {
            shown = "";
        }
        assertFalse(shown.contains("opens doors"), shown);
    }

    @Test
    void aFileIsNoValue() throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "opens doors");
        keptBack("<!DOCTYPE s [<!ENTITY k SYSTEM '" + key.toUri() + "'>]>"
                + "<s><set name='a'>&k;</set></s>");
    }

    @Test
    void norThroughAnotherFile() throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "opens doors");
        Path types = Files.writeString(folder.resolve("types.dtd"),
                "<!ENTITY k SYSTEM '" + key.toUri() + "'>");
        keptBack("<!DOCTYPE s SYSTEM '" + types.toUri() + "'><s><set name='a'>&k;</set></s>");
    }
}
