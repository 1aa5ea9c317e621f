package edge.gate.audit;

import edge.gate.text.Names;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What happened at the gate, for the operators. */
public class AuditTrail {
    private static final Logger LOG = LoggerFactory.getLogger(AuditTrail.class);
    private int rejections;

    public void rejected(String user, String path) {
        rejections++;
        String name = Names.orAnonymous(user);
        LOG.warn("rejected #{}: user={} path={}", rejections, name, path);
    }

    public int rejections() {
        return rejections;
    }
}
