package night;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** java night.Main JOB INBOX REPORT */
public final class Main {
    private Main() {
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            System.err.println("usage: JOB INBOX REPORT");
            return;
        }
        run(arguments[0], Path.of(arguments[1]), Path.of(arguments[2]));
    }

    static void run(String job, Path inbox, Path report) throws IOException {
        Report done = new Importer(new FolderInbox(inbox)).readAll(job);
        Scratch scratch = new Scratch(Path.of(System.getProperty("java.io.tmpdir")));
        Path draft = scratch.begin(job, done.line() + "\n");
        Files.write(report, Files.readAllBytes(draft));
        scratch.end(draft);
    }
}
