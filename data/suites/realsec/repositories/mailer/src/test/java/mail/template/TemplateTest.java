package mail.template;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TemplateTest {
    @Test
    void fillsPlaces() {
        Template template = new Template("Dear ${title} ${name}, ${name}! ${other}");
        assertEquals("Dear Dr Ünal, Ünal! ${other}",
                template.fill(Map.of("title", "Dr", "name", "Ünal")));
        assertEquals("Dear ${title} ${name}, ${name}! ${other}", template.fill(Map.of("x", "y")));
    }

    @Test
    void signsOfANameAreOnlySigns() {
        Template template = new Template("${secret} ${a+}");
        assertEquals("${secret} ${a+}", template.fill(Map.of(".*", "all")));
        assertEquals("${secret} ok", assertDoesNotThrow(() -> template.fill(Map.of("a+", "ok"))));
    }

    @Test
    void noNameTakesForEver() {
        Template template = new Template("${" + "a".repeat(40) + "!}");
        assertTimeoutPreemptively(Duration.ofSeconds(5),
                () -> template.fill(Map.of("(a|a)*", "x")));
    }

    @Test
    void aValueMayHoldAnySign() {
        String filled = assertDoesNotThrow(
                () -> new Template("${p}").fill(Map.of("p", "$5 \\ {2}")));
        assertEquals("$5 \\ {2}", filled);
    }
}
