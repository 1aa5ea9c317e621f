package org.lamplight.guestbook.ledger;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;

/** A file for each day, a line for each visitor: name, tab, shoe size for the loan boots. */
public class Ledger {
    private final Path folder;

    public Ledger(Path folder) {
        this.folder = folder;
    }

    public int visitors(LocalDate day) throws IOException, NoSuchDay {
        Path page = folder.resolve(day + ".tsv");
        if (!Files.exists(page)) {
            throw new NoSuchDay(day);
        }
        List<String> lines = Files.readAllLines(page);
        for (String line : lines) {
            if (line.indexOf('\t') < 1) {
                throw new IOException("bad line \"" + line + "\" in " + page.toAbsolutePath());
            }
        }
        return lines.size();
    }
}
