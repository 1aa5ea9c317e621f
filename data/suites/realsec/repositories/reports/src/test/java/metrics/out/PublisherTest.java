package metrics.out;

import static org.junit.jupiter.api.Assertions.*;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class PublisherTest {
    private final Map<String, String> kept = new HashMap<>();

    private Publisher publisher(String password) {
        Archive archive = (user, given) -> {
            if (!user.equals("reports") || !given.equals(password)) {
                throw new IllegalArgumentException("wrong password");
            }
            return kept::put;
        };
        Properties values = new Properties();
        values.setProperty("archive.prefix", "acme");
        values.setProperty("archive.password", password);
        return new Publisher(archive, new Settings(values));
    }

    @Test
    void storesUnderTheMonth() {
        assertEquals("acme-2024-05", publisher("Winter-2019!").publish("2024-05", "text"));
        assertEquals(Map.of("acme-2024-05", "text"), kept);
    }

    @Test
    void aNewPasswordNeedsNoNewProgram() {
        publisher("Spring-2031?").publish("2024-05", "text");
        assertEquals(1, kept.size());
    }
}
