package depot.web;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes to the log what was removed. */
public class Journal {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private int entries;

    public void note(Removal removal) {
        entries++;
        String sentence = removal.sentence();
        LOG.info("removal {}: {}", entries, sentence);
    }

    public int entries() {
        return entries;
    }
}
