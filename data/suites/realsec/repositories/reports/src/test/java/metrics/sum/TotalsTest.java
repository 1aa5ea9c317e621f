package metrics.sum;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import metrics.ReportService;
import metrics.model.Row;
import org.junit.jupiter.api.Test;

class TotalsTest {
    private final Totals totals = new Totals();

    @Test
    void addsUp() {
        assertEquals(1500, totals.cents(List.of(new Row("a", 3, 400), new Row("b", 1, 300))));
        assertEquals(0, totals.cents(List.of()));
    }

    @Test
    void refundsCount() {
        assertEquals(-100, totals.cents(List.of(new Row("a", 1, 400), new Row("back", -1, 500))));
    }

    @Test
    void largeSumsStayRight() {
        Row large = new Row("a", 2_000_000, 1000);
        assertEquals(4_000_000_000L, totals.cents(List.of(large, large)));
    }

    @Test
    void aLargeLineStaysRight() {
        assertEquals(60_000_000_000L, totals.cents(List.of(new Row("a", 60_000_000, 1000))));
    }

    @Test
    void discounts() {
        assertEquals(1080, totals.discounted(List.of(new Row("a", 3, 400)), 10));
        assertEquals(0, totals.discounted(List.of(new Row("a", 3, 400)), 100));
        assertEquals(33, totals.discounted(List.of(new Row("a", 1, 66)), 50));
        assertThrows(IllegalArgumentException.class,
                () -> totals.discounted(List.of(new Row("a", 1, 1)), 101));
    }

    @Test
    void anUploadCannotMakeAnAmountNegative() {
        long due;
        try {
            due = new ReportService().due("a;30000;30000", 0);
        } catch (ArithmeticException | IllegalArgumentException refused) {
            return;
        }
        assertEquals(900_000_000L, due);
    }

    @Test
    void aLargeUploadIsNotMadeSmall() {
        long due;
        try {
            due = new ReportService().due("a;50000;100000", 50);
        } catch (ArithmeticException | IllegalArgumentException refused) {
            return;
        }
        assertEquals(2_500_000_000L, due);
    }
}
