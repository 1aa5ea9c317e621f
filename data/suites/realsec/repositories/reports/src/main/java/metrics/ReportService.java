package metrics;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import metrics.filter.RowFilter;
import metrics.model.Row;
import metrics.model.RowReader;
import metrics.out.ReportWriter;
import metrics.sum.Totals;

/** From the text that a user uploads to a report. */
public class ReportService {
    private final RowReader reader = new RowReader();
    private final RowFilter filter = new RowFilter();
    private final ReportWriter writer = new ReportWriter();
    private final Totals totals = new Totals();

    public Path report(String upload, String term) throws IOException {
        List<Row> rows = reader.read(upload);
        List<Row> chosen = choose(rows, term);
        return writer.write(RowFilter.title(term), chosen);
    }

    public long due(String upload, int percent) {
        return totals.discounted(reader.read(upload), percent);
    }

    List<Row> choose(List<Row> rows, String term) {
        return term.isEmpty() ? rows : filter.matching(rows, term);
    }
}
