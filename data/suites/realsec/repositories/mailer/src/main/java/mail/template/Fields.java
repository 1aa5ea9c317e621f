package mail.template;

import java.util.LinkedHashMap;
import java.util.Map;

/** Reads "name=value" lines that a customer typed into a form. */
public class Fields {
    public Map<String, String> read(String form) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String line : form.split("\n")) {
            int at = line.indexOf('=');
            if (at > 0) {
                fields.put(line.substring(0, at).trim(), line.substring(at + 1).trim());
            }
        }
        return fields;
    }
}
