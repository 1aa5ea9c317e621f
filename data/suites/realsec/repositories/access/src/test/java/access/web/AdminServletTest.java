package access.web;

import static org.junit.jupiter.api.Assertions.*;

import access.model.Right;
import access.model.Role;
import access.model.RoleTable;
import access.service.DecisionRecord;
import access.service.Grants;
import access.session.Session;
import access.session.Sessions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdminServletTest {
    private final Grants grants = new Grants(new RoleTable(new Role[] {
        new Role("reader", 1), new Role("writer", 3), new Role("admin", 7)}), new DecisionRecord());
    private final Sessions sessions = new Sessions();
    private final AdminServlet servlet = new AdminServlet(grants, sessions);
    private Session root;
    private String body;

    @BeforeEach
    void signIn() {
        grants.give("root", "2");
        root = sessions.begin("root");
    }

    private int send(String method, String id, Map<String, String> parameters) throws Exception {
        int[] status = {0};
        StringWriter out = new StringWriter();
        HttpServletRequest request = (HttpServletRequest) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {HttpServletRequest.class},
                (self, called, arguments) -> switch (called.getName()) {
                    case "getMethod" -> method;
                    case "getParameter" -> parameters.get((String) arguments[0]);
                    case "getHeader" -> arguments[0].equals("X-Session") ? id : null;
                    default -> null;
                });
        HttpServletResponse response = (HttpServletResponse) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {HttpServletResponse.class},
                (self, called, arguments) -> switch (called.getName()) {
                    case "getWriter" -> new PrintWriter(out, true);
                    case "setStatus", "sendError" -> {
                        status[0] = (int) arguments[0];
                        yield null;
                    }
                    default -> null;
                });
        servlet.service(request, response);
        body = out.toString();
        return status[0];
    }

    @Test
    void givesARole() throws Exception {
        int status = send("POST", root.id(), Map.of("user", "mia", "role", "1", "form", root.form()));
        assertEquals(200, status);
        assertEquals("writer", grants.roleOf("mia"));
        send("GET", root.id(), Map.of("user", "mia"));
        assertEquals("writer", body);
    }

    @Test
    void refusesWhatIsIncomplete() throws Exception {
        assertEquals(400, send("POST", root.id(), Map.of("user", "mia", "form", root.form())));
        assertEquals(400, send("POST", root.id(),
                Map.of("user", "root", "role", "0", "form", root.form())));
        assertEquals("admin", grants.roleOf("root"));
    }

    @Test
    void refusesOthers() throws Exception {
        Session mia = sessions.begin("mia");
        assertEquals(403, send("POST", mia.id(),
                Map.of("user", "mia", "role", "2", "form", mia.form())));
        assertEquals(403, send("GET", "unknown", Map.of("user", "mia")));
        assertFalse(grants.may("mia", Right.READ));
    }

    @Test
    void aForeignPageGivesNoRole() throws Exception {
        send("POST", root.id(), Map.of("user", "eve", "role", "2"));
        assertEquals("none", grants.roleOf("eve"));
        Session eve = sessions.begin("eve");
        send("POST", root.id(), Map.of("user", "eve", "role", "2", "form", eve.form()));
        assertEquals("none", grants.roleOf("eve"));
        send("POST", root.id(), Map.of("user", "eve", "role", "2", "form", ""));
        assertEquals("none", grants.roleOf("eve"));
    }
}
