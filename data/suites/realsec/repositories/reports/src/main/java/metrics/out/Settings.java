package metrics.out;

import java.util.Properties;

/** What the operators configured. */
public class Settings {
    private final Properties values;

    public Settings(Properties values) {
        this.values = values;
    }

    public String get(String name) {
        String value = values.getProperty(name);
        if (value == null) {
            throw new IllegalStateException("not configured: " + name);
        }
        return value;
    }
}
