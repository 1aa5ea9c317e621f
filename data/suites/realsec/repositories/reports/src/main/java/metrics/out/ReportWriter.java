package metrics.out;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import metrics.model.Row;
import metrics.sum.Totals;

/** Writes a report into a scratch file. */
public class ReportWriter {
    private final Totals totals = new Totals();

    public Path write(String title, List<Row> rows) throws IOException {
        StringBuilder text = new StringBuilder(title).append('\n');
        for (Row row : rows) {
            text.append(row.label()).append('\t').append(row.quantity()).append('\n');
        }
        text.append("total\t").append(totals.cents(rows)).append('\n');
        return scratch(text.toString());
    }

    private Path scratch(String text) throws IOException {
        File file = File.createTempFile("report", ".tsv");
        try (Writer out = new FileWriter(file, StandardCharsets.UTF_8)) {
            out.write(text);
        }
        return file.toPath();
    }
}
