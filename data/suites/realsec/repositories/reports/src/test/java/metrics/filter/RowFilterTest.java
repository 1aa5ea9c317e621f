package metrics.filter;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Duration;
import java.util.List;
import metrics.model.Row;
import org.junit.jupiter.api.Test;

class RowFilterTest {
    private final RowFilter filter = new RowFilter();
    private final List<Row> rows = List.of(new Row("Pencil", 1, 1), new Row("Red Pen", 1, 1),
            new Row("Ink (red)", 1, 1), new Row("ÄPFEL", 1, 1));

    private List<String> labels(String term) {
        return filter.matching(rows, term).stream().map(Row::label).toList();
    }

    @Test
    void findsInAnyCase() {
        assertEquals(List.of("Pencil", "Red Pen"), labels("PEN"));
        assertEquals(List.of("Red Pen", "Ink (red)"), labels("red"));
        assertEquals(List.of(), labels("paper"));
    }

    @Test
    void signsOfATermAreOnlySigns() {
        assertEquals(List.of(), labels(".*"));
        assertEquals(List.of("Ink (red)"), assertDoesNotThrow(() -> labels("(red")));
    }

    @Test
    void noTermTakesForEver() {
        List<Row> long1 = List.of(new Row("a".repeat(40) + "!", 1, 1));
        assertTimeoutPreemptively(Duration.ofSeconds(5),
                () -> filter.matching(long1, "^(a|a)*$"));
    }
}
