package depot.web;

/** One removed file, and why. */
public record Removal(String name, String reason) {
    /** For people: the name, then the reason in brackets. */
    public String sentence() {
        return name + " [" + reason + "]";
    }
}
