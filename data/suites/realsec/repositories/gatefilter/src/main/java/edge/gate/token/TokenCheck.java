package edge.gate.token;

import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Knows which access tokens are valid. */
public class TokenCheck {
    private static final Logger LOG = LoggerFactory.getLogger(TokenCheck.class);
    private final Set<String> known;

    public TokenCheck(Set<String> known) {
        this.known = Set.copyOf(known);
    }

    public boolean accepts(String token) {
        if (token == null || token.isBlank()) {
            LOG.info("request without a token");
            return false;
        }
        boolean valid = known.contains(token.trim());
        LOG.info("token {} is {}", token.trim(), valid ? "valid" : "unknown");
        return valid;
    }
}
