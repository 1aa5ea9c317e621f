package bot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who asked the bot for what. */
class Audit {
    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

    void command(Message message) {
        LOG.info("{} in {} said {}", message.author(), message.room(), message.text());
    }
}
