package com.fernhollow.greenhouse.cli;

import com.fernhollow.greenhouse.notes.NoteShelf;
import com.fernhollow.greenhouse.probe.ProbeLog;
import com.fernhollow.greenhouse.state.Checkpoint;
import com.fernhollow.greenhouse.state.Snapshot;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** The program: one command with its argument, relative to the folder it is started for. */
public final class Greenhouse {
    static final int OK = 0;
    static final int USAGE = 2;

    private final Path home;
    private final PrintStream out;

    Greenhouse(Path home, PrintStream out) {
        this.home = home;
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        String home = System.getenv("GREENHOUSE_HOME");
        Greenhouse program = new Greenhouse(Path.of(home == null ? "." : home), System.out);
        int code = program.run(args);
        if (code != OK) {
            System.exit(code);
        }
    }

    int run(String[] args) throws IOException, InterruptedException {
        if (args.length != 2) {
            out.println("usage: greenhouse note BED | readings PROBE | restore FILE");
            return USAGE;
        }
        String argument = args[1];
        switch (args[0]) {
            case "note" -> out.print(new NoteShelf(home.resolve("notes").toFile()).read(argument));
            case "readings" -> {
                List<String> lines = new ProbeLog(home.resolve("probes.log")).readings(argument);
                lines.forEach(out::println);
            }
            case "restore" -> {
                try (InputStream in = new FileInputStream(argument)) {
                    Snapshot snapshot = new Checkpoint().load(in);
                    out.println(snapshot.bed() + ": " + snapshot.litres());
                }
            }
            default -> {
                out.println("unknown command " + args[0]);
                return USAGE;
            }
        }
        return OK;
    }
}
