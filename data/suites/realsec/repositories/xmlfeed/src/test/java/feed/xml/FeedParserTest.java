package feed.xml;

import static org.junit.jupiter.api.Assertions.*;

import feed.model.Feed;
import feed.model.Product;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FeedParserTest {
    private final FeedParser parser = new FeedParser();
    private final Counter counter = new Counter();

    private static InputStream stream(String xml) {
        return new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8));
    }

    private static String stealing(Path file) {
        return "<!DOCTYPE feed [<!ENTITY x SYSTEM \"" + file.toUri() + "\">]>"
                + "<feed supplier='eve'><product code='1'>&x;</product></feed>";
    }

    private static Path secret() throws IOException {
        return Files.writeString(Files.createTempFile("secret", ".txt"), "sesame-opens");
    }

    @Test
    void readsProducts() throws IOException {
        Feed feed = parser.parse("<feed supplier='acme'><!-- two -->"
                + "<product code='a1' stock='4'> Füller </product>"
                + "<group><product code='b2'>P<!-- x -->en<![CDATA[<cil>]]></product></group></feed>");
        assertEquals("acme", feed.supplier());
        assertEquals(List.of(new Product("a1", "Füller", 4), new Product("b2", "Pen<cil>", 0)),
                feed.products());
    }

    @Test
    void brokenXmlIsAnError() {
        assertThrows(IOException.class, () -> parser.parse("<feed>"));
    }

    @Test
    void noFileGetsIntoAProduct() throws IOException {
        try {
            Feed feed = parser.parse(stealing(secret()));
            assertFalse(feed.products().toString().contains("sesame-opens"));
        } catch (IOException refused) {
            // refusing is fine
        }
    }

    @Test
    void norThroughAnExternalSubset() throws IOException {
        Path subset = Files.writeString(Files.createTempFile("part", ".dtd"),
                "<!ENTITY y \"from-the-subset\">");
        String xml = "<!DOCTYPE feed [<!ENTITY % p SYSTEM \"" + subset.toUri() + "\"> %p;]>"
                + "<feed supplier='eve'><product code='1'>&y;</product></feed>";
        try {
            Feed feed = parser.parse(xml);
            assertFalse(feed.products().toString().contains("from-the-subset"));
        } catch (IOException refused) {
            // refusing is fine
        }
    }

    @Test
    void countsCharacters() throws Exception {
        assertEquals(5, counter.characters(stream("<f>xx<a>abc<b>de</b></a>yy</f>"), "a"));
        assertEquals(0, counter.characters(stream("<f>xx</f>"), "a"));
        assertEquals(3, counter.characters(stream("<f><a>1</a><b>22</b><a>33</a></f>"), "a"));
        assertThrows(javax.xml.stream.XMLStreamException.class,
                () -> counter.characters(stream("<f>"), "a"));
    }

    @Test
    void noFileIsCounted() throws Exception {
        int count;
        try {
            count = counter.characters(stream(stealing(secret())), "product");
        } catch (javax.xml.stream.XMLStreamException | RuntimeException refused) {
            count = 0;
        }
        assertEquals(0, count);
    }
}
