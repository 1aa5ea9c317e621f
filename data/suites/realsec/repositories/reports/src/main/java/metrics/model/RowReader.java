package metrics.model;

import java.util.ArrayList;
import java.util.List;

/** Reads rows from "label;quantity;cents" lines. */
public class RowReader {
    public List<Row> read(String text) {
        List<Row> rows = new ArrayList<>();
        for (String line : text.split("\n")) {
            String[] cells = line.split(";");
            if (cells.length == 3) {
                rows.add(new Row(cells[0].trim(), number(cells[1]), number(cells[2])));
            }
        }
        return rows;
    }

    private static int number(String cell) {
        return Integer.parseInt(cell.trim());
    }
}
