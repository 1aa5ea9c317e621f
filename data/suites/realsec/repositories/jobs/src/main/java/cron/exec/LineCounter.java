package cron.exec;

import cron.jobs.Job;
import java.io.File;
import java.io.IOException;
import java.util.List;

/** Counts the lines of a file in the folder of an upload with the system's tools. */
public class LineCounter {
    private final CommandRunner runner;
    private final Tools tools;

    public LineCounter(CommandRunner runner, Tools tools) {
        this.runner = runner;
        this.tools = tools;
    }

    public int count(File upload, Job job) throws IOException {
        String file = job.arguments().get(0);
        String said = runner.run(upload, List.of(tools.find(upload, "wc"), "-l", "--", file));
        return Integer.parseInt(said.strip().split("\\s+")[0]);
    }
}
