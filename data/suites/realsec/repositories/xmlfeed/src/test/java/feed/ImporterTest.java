package feed;

import static org.junit.jupiter.api.Assertions.*;

import feed.cache.FeedCache;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ImporterTest {
    private Importer importer;

    @BeforeEach
    void make() throws IOException {
        LoggerFactory.clear();
        importer = new Importer(new FeedCache(Files.createTempDirectory("feeds")));
    }

    @Test
    void takesFeeds() throws IOException {
        assertEquals(2, importer.take("<feed supplier='acme'><product/><product/></feed>"));
        assertEquals(0, importer.take("<feed supplier='none'/>"));
    }

    @Test
    void logsTheSupplier() throws IOException {
        importer.take("<feed supplier='acme'><product/></feed>");
        assertEquals("supplier acme sent 1 products", LoggerFactory.logged().get(0));
    }

    @Test
    void whatIsNoFeedIsAnError() {
        assertThrows(IOException.class, () -> importer.take("no feed"));
        assertEquals(0, LoggerFactory.logged().size());
    }

    @Test
    void aSupplierForgesNoEntry() throws IOException {
        importer.take("<feed supplier='acme&#10;supplier root sent 9 products'/>");
        importer.take("<feed supplier='acme&#13;supplier root'/>");
        for (String line : LoggerFactory.logged()) {
            assertFalse(line.contains("\n") || line.contains("\r"), line);
        }
    }
}
