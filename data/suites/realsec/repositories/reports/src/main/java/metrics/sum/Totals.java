package metrics.sum;

import java.util.List;
import metrics.model.Row;

/** Adds up rows. */
public class Totals {
    private final LineAmount amounts = new LineAmount();

    public long cents(List<Row> rows) {
        int sum = 0;
        for (Row row : rows) {
            sum += (long) row.quantity() * row.unitCents();
        }
        return sum;
    }

    public long discounted(List<Row> rows, int percent) {
        long sum = 0;
        for (Row row : rows) {
            sum += amounts.cents(row.quantity(), row.unitCents(), percent);
        }
        return sum;
    }
}
