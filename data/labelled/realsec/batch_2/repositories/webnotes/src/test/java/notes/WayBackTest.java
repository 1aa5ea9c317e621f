package notes;

import static org.junit.jupiter.api.Assertions.*;

import java.net.URI;
import org.junit.jupiter.api.Test;

class WayBackTest {
    @Test
    void staysWhereItWas() {
        assertEquals("/note?number=3", WayBack.target("/note?number=3"));
        assertEquals("/note", WayBack.target("/note"));
    }

    @Test
    void homeIsTheDefault() {
        assertEquals("/", WayBack.target(null));
        assertEquals("/", WayBack.target(""));
    }

    /** As browsers read it: backslashes are slashes, tabs and line breaks are not there. */
    private static void stays(String next) {
        String target = WayBack.target(next).replace('\\', '/').replaceAll("[\\t\\r\\n]", "");
        assertTrue(target.startsWith("/") && !target.startsWith("//"), target);
        assertNull(URI.create(target.replace(' ', '+')).getHost(), target);
    }

    @Test
    void otherHostsAreNoWayBack() {
        stays("https://elsewhere.example/login");
        stays("javascript:alert(1)");
    }

    @Test
    void norInShort() {
        stays("//elsewhere.example/login");
        stays("/\\elsewhere.example");
        stays("/\t/elsewhere.example");
    }
}
