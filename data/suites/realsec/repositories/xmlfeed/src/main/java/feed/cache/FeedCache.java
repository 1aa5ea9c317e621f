package feed.cache;

import feed.model.Feed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Feeds that were parsed before, in a folder that several services share. */
public class FeedCache {
    private final Path folder;
    private final Thaw thaw = new Thaw();

    public FeedCache(Path folder) {
        this.folder = folder;
    }

    public void put(String name, Feed feed) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(feed);
        }
        Files.write(folder.resolve(name + ".feed"), bytes.toByteArray());
    }

    /** The feed kept under a name, or null where there is none that can be read. */
    public Feed get(String name) {
        try {
            return feed(Files.readAllBytes(folder.resolve(name + ".feed")));
        } catch (IOException absent) {
            return null;
        }
    }

    private Feed feed(byte[] bytes) throws IOException {
        return thaw.object(bytes, Feed.class);
    }
}
