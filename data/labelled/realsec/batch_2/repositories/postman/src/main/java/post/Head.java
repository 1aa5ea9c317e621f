package post;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The head of an HTTP answer, for a server without a library. */
public class Head {
    private final int status;
    private final Map<String, String> fields = new LinkedHashMap<>();

    public Head(int status) {
        this.status = status;
    }

    public Head with(String name, String value) {
        fields.put(name, value);
        return this;
    }

    public String text() {
        StringBuilder text = new StringBuilder("HTTP/1.1 " + status + " -\r\n");
        fields.forEach((name, value) -> text.append(line(name, value)));
        return text.append("\r\n").toString();
    }

    static String line(String name, String value) {
        return name + ": " + value + "\r\n";
    }
}
