package post;

import static org.junit.jupiter.api.Assertions.*;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PreferencesTest {
    private final Map<String, Object> kept = new HashMap<>(Map.of("user", "ina", "role", "member"));
    private final Preferences preferences = new Preferences();

    private final HttpSession session = (HttpSession) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {HttpSession.class},
            (self, method, given) -> switch (method.getName()) {
                case "getAttribute" -> kept.get(given[0]);
                case "setAttribute" -> kept.put((String) given[0], given[1]);
                default -> null;
            });

    private void send(Map<String, String> form) {
        HttpServletRequest request = (HttpServletRequest) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {HttpServletRequest.class},
                (self, method, given) -> switch (method.getName()) {
                    case "getParameter" -> form.get(given[0]);
                    case "getSession" -> session;
                    default -> null;
                });
        preferences.keep(request);
    }

    @Test
    void keepsWhatMembersLike() {
        send(Map.of("language", "de", "theme", "dark"));
        assertEquals("de", session.getAttribute("language"));
        assertEquals("dark", session.getAttribute("theme"));
        assertFalse(preferences.writesToAll(session));
    }

    @Test
    void whatIsNotSentStays() {
        send(Map.of("language", "fr"));
        send(Map.of("theme", "light"));
        assertEquals("fr", session.getAttribute("language"));
        assertEquals("light", session.getAttribute("theme"));
    }

    private void try_(Map<String, String> form) {
        try {
            send(form);
        } catch (RuntimeException refused) {
            // it may refuse
        }
    }

    @Test
    void whoItIsIsNotSentAlong() {
        try_(Map.of("role", "board"));
        try_(Map.of("user", "rolf"));
        assertFalse(preferences.writesToAll(session));
        assertEquals("ina", session.getAttribute("user"));
    }

    @Test
    void aPreferenceIsOneOfThoseThereAre() {
        try_(Map.of("language", "<script>", "theme", "dark"));
        try_(Map.of("theme", "../../x"));
        assertNotEquals("<script>", session.getAttribute("language"));
        assertNotEquals("../../x", session.getAttribute("theme"));
    }
}
