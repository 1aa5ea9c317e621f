package bot;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuotesTest {
    private final Quotes quotes = new Quotes();

    @Test
    void takesWhatIsInQuotes() {
        assertTrue(quotes.add("\"less is more\""));
        assertTrue(quotes.add("'so it goes'"));
        assertEquals(List.of("less is more", "so it goes"), quotes.all());
    }

    @Test
    void refusesTheRest() {
        assertFalse(quotes.add("\"half a quote"));
        assertFalse(quotes.add("\"mixed'"));
        assertFalse(quotes.add("'not; words'"));
        assertFalse(quotes.add("none"));
        assertFalse(quotes.add("'" + "word ".repeat(500) + "'"));
    }

    private void soon(String typed) {
        assertTimeoutPreemptively(Duration.ofSeconds(3), () -> assertFalse(quotes.add(typed)));
    }

    @Test
    void aLongWordIsReadSoon() {
        soon("'" + "a".repeat(60) + "!");
        soon("\"" + "a".repeat(1900));
    }

    @Test
    void manyWordsAreReadSoon() {
        soon("'" + "ab ".repeat(300) + "!'");
        soon("'" + "a b".repeat(20) + "\"");
    }
}
