package conf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Settings of one user, passwords of mail servers among them, in a file "name=value". */
public class UserFile implements Source {
    private final Path file;

    public UserFile(Path file) {
        this.file = file;
    }

    @Override
    public Map<String, String> values() throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                int at = line.indexOf('=');
                if (at > 0) {
                    values.put(line.substring(0, at), line.substring(at + 1));
                }
            }
        }
        return values;
    }

    public void set(String name, String value) throws IOException {
        Map<String, String> values = values();
        values.put(name, value);
        write(values.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining("\n", "", "\n")));
    }

    void write(String text) throws IOException {
        Files.writeString(file, text);
    }
}
