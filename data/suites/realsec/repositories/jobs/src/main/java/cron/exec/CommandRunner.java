package cron.exec;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs a command of the system in a folder and returns what it printed. */
public class CommandRunner {
    public String run(File folder, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(folder)
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
