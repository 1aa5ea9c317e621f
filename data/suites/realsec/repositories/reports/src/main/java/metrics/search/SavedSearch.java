package metrics.search;

/** A search that a user has kept: its name and its term. */
public record SavedSearch(String name, String term) {
    /** From a line "name=term". */
    public static SavedSearch of(String line) {
        int at = line.indexOf('=');
        return new SavedSearch(line.substring(0, Math.max(at, 0)), line.substring(at + 1));
    }
}
