package people.search;

/** Whom somebody looks for: a city, and how the name begins. */
public record Wanted(String city, String start) {
    /** "Lyon: An" looks in Lyon for names that begin with An; without a colon any name will do. */
    public static Wanted parse(String line) {
        int colon = line.indexOf(':');
        return colon < 0
                ? new Wanted(line.strip(), "")
                : new Wanted(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
    }
}
