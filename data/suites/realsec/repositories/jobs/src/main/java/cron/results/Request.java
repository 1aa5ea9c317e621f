package cron.results;

/** What somebody wants of a result: to see it, or to know how long it is. */
public record Request(String verb, String name) {
    /** From a line "show NAME" or "size NAME". */
    public static Request parse(String line) {
        String[] words = line.strip().split(" ", 2);
        return new Request(words[0], words.length > 1 ? words[1].strip() : "");
    }
}
