package edge.gate.admin;

import edge.gate.audit.AuditTrail;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/** Blocks and unblocks hosts at the request of an administrator's browser. */
public class AdminActions {
    private final Set<String> blocked = new TreeSet<>();
    private final AuditTrail audit;

    public AdminActions(AuditTrail audit) {
        this.audit = audit;
    }

    public void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        String host = request.getParameter("host");
        String action = request.getParameter("action");
        if (host == null || action == null) {
            response.sendError(400, "host and action are needed");
        } else if (action.equals("block")) {
            blocked.add(host);
            response.setStatus(HttpServletResponse.SC_OK);
        } else if (action.equals("unblock")) {
            blocked.remove(host);
            response.setStatus(HttpServletResponse.SC_OK);
        } else if (action.equals("show")) {
            response.getWriter().print(String.join("\n", blocked));
            response.setStatus(HttpServletResponse.SC_OK);
        } else {
            response.sendError(400, "unknown action");
        }
    }

    public Set<String> blocked() {
        return Set.copyOf(blocked);
    }

    public int rejections() {
        return audit.rejections();
    }
}
