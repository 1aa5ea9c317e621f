package conf;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The values of several sources; later ones win. */
public class Settings {
    private final Map<String, String> values = new LinkedHashMap<>();

    public static Settings of(Source... sources) throws IOException {
        Settings settings = new Settings();
        for (Source source : sources) {
            settings.values.putAll(source.values());
        }
        return settings;
    }

    public <T> T get(Key<T> key) {
        String text = values.get(key.name());
        return text == null ? key.fallback() : key.reader().apply(text);
    }

    public Map<String, String> all() {
        return Map.copyOf(values);
    }
}
