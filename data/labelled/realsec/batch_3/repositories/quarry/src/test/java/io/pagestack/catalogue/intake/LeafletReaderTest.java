package io.pagestack.catalogue.intake;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeafletReaderTest {
    @TempDir
    Path folder;

    private static List<Title> read(String xml) throws IOException {
        return new LeafletReader().titles(
                new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void readsTitles() throws IOException {
        assertEquals(List.of(new Title("Moss & Stone", "Adler", 210), new Title("Tides", "Berg", 0)),
                read("<leaflet><!-- spring --><book><name>Tides</name><author>Berg</author></book>"
                        + "<book pages='210'><name>Moss &amp; Stone</name>"
                        + "<author> Adler </author></book></leaflet>"));
        assertEquals(List.of(), read("<leaflet/>"));
    }

    @Test
    void refusesWhatIsNoXml() {
        assertThrows(IOException.class, () -> read("<leaflet><book></leaflet>"));
        assertThrows(IOException.class, () -> read("no leaflet"));
    }

    @Test
    void aFileBesideItIsNotRead() throws IOException {
        assertKept("<!DOCTYPE leaflet [<!ENTITY f SYSTEM '%s'>]>"
                + "<leaflet><book><name>&f;</name><author>x</author></book></leaflet>", "kept back");
    }

    @Test
    void noDeclarationsAreFetched() throws IOException {
        assertKept("<!DOCTYPE leaflet [<!ENTITY %% f SYSTEM '%s'> %%f;]>"
                + "<leaflet><book><name>&g;</name><author>x</author></book></leaflet>",
                "<!ENTITY g 'kept back'>");
    }

    private void assertKept(String leaflet, String content) throws IOException {
        Path file = Files.writeString(folder.resolve("stock"), content);
        List<Title> got;
        try {
            got = read(leaflet.formatted(file.toUri()));
        } catch (IOException | RuntimeException refused) {
            return;
        }
        assertFalse(got.toString().contains("kept back"), got.toString());
    }
}
