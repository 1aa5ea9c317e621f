package feed.cache;

import static org.junit.jupiter.api.Assertions.*;

import feed.model.Feed;
import feed.model.Product;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FeedCacheTest {
    static class Gadget implements Serializable {
        static boolean woke;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            woke = true;
            in.defaultReadObject();
        }
    }

    private Path folder;
    private FeedCache cache;

    @BeforeEach
    void make() throws IOException {
        folder = Files.createTempDirectory("cache");
        cache = new FeedCache(folder);
        Gadget.woke = false;
    }

    private void plant(String name, Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        Files.write(folder.resolve(name + ".feed"), bytes.toByteArray());
    }

    @Test
    void keepsFeeds() throws IOException {
        List<Product> products = List.of(new Product("a1", "Pen", 4), new Product("b2", "Ink", 1));
        cache.put("acme", new Feed("acme", products));
        assertEquals(products, cache.get("acme").products());
        assertEquals("acme", cache.get("acme").supplier());
    }

    @Test
    void whatCannotBeReadIsAbsent() throws IOException {
        assertNull(cache.get("nobody"));
        plant("text", "a text");
        assertNull(cache.get("text"));
        Files.write(folder.resolve("broken.feed"), new byte[] {1, 2, 3});
        assertNull(cache.get("broken"));
    }

    @Test
    void aForeignClassIsNotWoken() throws IOException {
        plant("evil", new Gadget());
        assertNull(cache.get("evil"));
        assertFalse(Gadget.woke);
    }

    @Test
    void norWithinAMap() throws IOException {
        plant("evil", new java.util.HashMap<>(java.util.Map.of("k", new Gadget())));
        cache.get("evil");
        assertFalse(Gadget.woke);
    }
}
