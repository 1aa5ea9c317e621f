package access.service;

import access.model.Right;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes down who was allowed what. */
public class DecisionRecord {
    private static final Logger LOG = LoggerFactory.getLogger(DecisionRecord.class);
    private int denied;

    public void decided(String user, Right right, boolean allowed) {
        if (allowed) {
            LOG.info("{} may {}", user, right);
        } else {
            denied++;
            LOG.warn(String.format("denied (%d): %s wanted to %s", denied, user, right));
        }
    }

    public int denied() {
        return denied;
    }
}
