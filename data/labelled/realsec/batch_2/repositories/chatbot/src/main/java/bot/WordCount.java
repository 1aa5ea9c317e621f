package bot;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Counts words as the system's wc does. */
public class WordCount {
    public int count(String phrase) throws IOException {
        String line = "printf %s \"" + phrase + "\" | wc -w";
        Process process = new ProcessBuilder("sh", "-c", line).start();
        return number(process);
    }

    static int number(Process process) throws IOException {
        try (BufferedReader out = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String first = out.readLine();
            return first == null ? 0 : Integer.parseInt(first.strip());
        } catch (NumberFormatException odd) {
            throw new UncheckedIOException(new IOException("wc said something else"));
        }
    }
}
