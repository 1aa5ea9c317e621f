package night;

import java.io.BufferedReader;
import java.io.IOException;

/** Reads readings: one number a line, blank lines do not count. */
public class Importer {
    private final Inbox inbox;

    public Importer(Inbox inbox) {
        this.inbox = inbox;
    }

    public int read(String name) throws IOException {
        BufferedReader reader = inbox.open(name);
        int count = 0;
        String line;
        while ((line = reader.readLine()) != null) {
            if (!line.isBlank()) {
                Double.parseDouble(line);
                count++;
            }
        }
        reader.close();
        return count;
    }

    /** Files that cannot be read are left for the next night. */
    public Report readAll(String job) throws IOException {
        int files = 0, readings = 0;
        for (String name : inbox.names()) {
            try {
                readings += read(name);
                files++;
            } catch (NumberFormatException broken) {
                System.err.println(name + " is left");
            }
        }
        return new Report(job, files, readings);
    }
}
