package mail.template;

import java.util.Map;
import java.util.TreeMap;

/** A text with places like ${name}. */
public class Template {
    private final String text;

    public Template(String text) {
        this.text = text;
    }

    public String fill(Map<String, String> values) {
        String out = text;
        for (Map.Entry<String, String> value : new TreeMap<>(values).entrySet()) {
            out = out.replaceAll("\\$\\{" + value.getKey() + "\\}", value.getValue());
        }
        return out;
    }
}
