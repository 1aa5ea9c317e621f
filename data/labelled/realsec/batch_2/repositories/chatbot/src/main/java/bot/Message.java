package bot;

/** What somebody wrote in a room. */
public record Message(String author, String room, String text) {
    public boolean isCommand() {
        return text.startsWith("!") && text.length() > 1;
    }

    /** "!count a b" is the command count. */
    public String command() {
        int end = text.indexOf(' ');
        return end < 0 ? text.substring(1) : text.substring(1, end);
    }

    public String rest() {
        int end = text.indexOf(' ');
        return end < 0 ? "" : text.substring(end + 1).strip();
    }
}
