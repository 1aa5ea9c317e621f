package metrics.search;

import java.util.ArrayList;
import java.util.List;
import metrics.model.Row;

/** The kept searches of a user, and what they find. */
public class SearchBook {
    private final Highlighter highlighter = new Highlighter();

    /** The labels of all rows, with the term of the search in brackets. */
    public List<String> open(String line, List<Row> rows) {
        SavedSearch search = SavedSearch.of(line);
        List<String> labels = new ArrayList<>();
        for (Row row : rows) {
            labels.add(highlighter.marked(highlighter.plain(row.label()), search.term()));
        }
        return labels;
    }
}
