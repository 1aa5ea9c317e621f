package com.fernhollow.greenhouse.probe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The log of all probes, which is long: grep finds the lines of one. */
public class ProbeLog {
    private final Path log;

    public ProbeLog(Path log) {
        this.log = log;
    }

    public List<String> readings(String probe) throws IOException, InterruptedException {
        String command = "grep -F '[" + probe + "]' " + log;
        Process process = Runtime.getRuntime().exec(new String[] {"sh", "-c", command});
        return outputOf(process);
    }

    private static List<String> outputOf(Process process)
            throws IOException, InterruptedException {
        process.getOutputStream().close();
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line; (line = reader.readLine()) != null;) {
                lines.add(line);
            }
        }
        if (process.waitFor() > 1) {
            throw new IOException("grep failed");
        }
        return lines;
    }
}
