package plug;

import java.util.Map;

/** What a plug-in says of itself in its manifest: lines "key: value". */
public record Manifest(String id, String main, int version) {
    public static Manifest parse(String text) {
        Map<String, String> values = new java.util.HashMap<>();
        text.lines().filter(line -> line.contains(":")).forEach(line -> {
            int colon = line.indexOf(':');
            values.put(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
        });
        return new Manifest(values.getOrDefault("id", "unnamed"), values.getOrDefault("main", ""),
                Integer.parseInt(values.getOrDefault("version", "1")));
    }
}
