package access.session;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sessions by id. */
public class Sessions {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    private final Map<String, Session> open = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();

    public Session begin(String user) {
        Session session = new Session(token(), user, token());
        open.put(session.id(), session);
        LOG.info("session {} begins", session.label());
        return session;
    }

    /** The session of an id, or null. */
    public Session find(String id) {
        return id == null ? null : open.get(id);
    }

    public boolean end(String id) {
        Session ended = id == null ? null : open.remove(id);
        if (ended == null) {
            LOG.warn("no session to end");
            return false;
        }
        String user = ended.user();
        LOG.info("session {} of {} ends, {} open", ended.id(), user, open.size());
        return true;
    }

    private String token() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
