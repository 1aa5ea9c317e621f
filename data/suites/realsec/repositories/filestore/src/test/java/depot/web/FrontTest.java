package depot.web;

import static org.junit.jupiter.api.Assertions.*;

import depot.store.Depot;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FrontTest {
    private Depot depot;
    private Front front;
    private final Journal journal = new Journal();
    private final StringWriter body = new StringWriter();
    private int status;

    @BeforeEach
    void make() throws Exception {
        LoggerFactory.clear();
        depot = new Depot(Files.createTempDirectory("depot"));
        front = new Front(depot, journal);
    }

    private void send(String method, String file, String reason) throws Exception {
        HttpServletRequest request = (HttpServletRequest) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {HttpServletRequest.class},
                (self, called, arguments) -> switch (called.getName()) {
                    case "getMethod" -> method;
                    case "getParameter" -> file;
                    case "getHeader" -> reason;
                    default -> null;
                });
        HttpServletResponse response = (HttpServletResponse) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {HttpServletResponse.class},
                (self, called, arguments) -> switch (called.getName()) {
                    case "getWriter" -> new PrintWriter(body, true);
                    case "setStatus", "sendError" -> status = (int) arguments[0];
                    default -> null;
                });
        front.service(request, response);
    }

    @Test
    void readsAndRemoves() throws Exception {
        depot.write("a.txt", "hello");
        send("GET", "a.txt", null);
        assertEquals("hello", body.toString());
        send("DELETE", "a.txt", "old");
        assertEquals(200, status);
        assertEquals(1, journal.entries());
        assertTrue(LoggerFactory.logged().get(0).contains("removal 1: a.txt [old]"));
    }

    @Test
    void whatIsAbsentIs404() throws Exception {
        send("DELETE", "a.txt", null);
        assertEquals(404, status);
        assertEquals(0, journal.entries());
    }

    @Test
    void aReasonIsOptional() throws Exception {
        depot.write("a.txt", "hello");
        send("DELETE", "a.txt", null);
        assertTrue(LoggerFactory.logged().get(0).endsWith("a.txt [none given]"));
    }

    @Test
    void aReasonForgesNoEntry() throws Exception {
        depot.write("a.txt", "hello");
        send("DELETE", "a.txt", "old]\nremoval 2: b.txt [x");
        depot.write("a.txt", "hello");
        send("DELETE", "a.txt", "old]\rremoval 3");
        for (String line : LoggerFactory.logged()) {
            assertFalse(line.contains("\n") || line.contains("\r"), line);
        }
    }
}
