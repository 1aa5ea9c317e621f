package feed;

import feed.cache.FeedCache;
import feed.model.Feed;
import feed.xml.FeedParser;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes in feeds. */
public class Importer {
    private static final Logger LOG = LoggerFactory.getLogger(Importer.class);
    private final FeedParser parser = new FeedParser();
    private final FeedCache cache;

    public Importer(FeedCache cache) {
        this.cache = cache;
    }

    public int take(String xml) throws IOException {
        Feed feed = parser.parse(xml);
        cache.put(Integer.toHexString(feed.supplier().hashCode()), feed);
        LOG.info("supplier {} sent {} products", feed.supplier(), feed.products().size());
        return feed.products().size();
    }
}
