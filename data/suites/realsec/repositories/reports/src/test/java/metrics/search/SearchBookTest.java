package metrics.search;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Duration;
import java.util.List;
import metrics.model.Row;
import org.junit.jupiter.api.Test;

class SearchBookTest {
    private static List<String> open(String line, String... labels) {
        return new SearchBook().open(line,
                List.of(labels).stream().map(label -> new Row(label, 1, 1)).toList());
    }

    @Test
    void marksEveryPlace() {
        assertEquals(List.of("b[an][an]a", "nut"), open("fruit=an", "banana", "nut"));
    }

    @Test
    void anEmptyTermMarksNothing() {
        assertEquals(List.of("a b"), open("none=", "a   b"));
    }

    @Test
    void everySignStandsForItself() {
        assertEquals(List.of("abc"), open("dots=a.c", "abc"));
        assertEquals(List.of("f[(]x)"), open("open=(", "f(x)"));
    }

    @Test
    void noTermTakesLong() {
        String label = "a".repeat(40) + "!";
        assertTimeoutPreemptively(Duration.ofSeconds(5),
                () -> assertEquals(List.of(label), open("slow=(a|aa)+b", label)));
    }
}
