package metrics.filter;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import metrics.model.Row;

/** Chooses rows by a search term. */
public class RowFilter {
    public List<Row> matching(List<Row> rows, String term) {
        Pattern pattern = Pattern.compile(term, Pattern.CASE_INSENSITIVE);
        List<Row> found = new ArrayList<>();
        for (Row row : rows) {
            if (pattern.matcher(row.label()).find()) {
                found.add(row);
            }
        }
        return found;
    }

    public static String title(String term) {
        return term.isEmpty() ? "all rows" : "rows with " + term.toLowerCase(Locale.ROOT);
    }
}
