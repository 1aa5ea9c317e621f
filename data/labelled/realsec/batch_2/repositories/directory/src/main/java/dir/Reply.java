package dir;

/** What a client gets: a status and a text. */
public record Reply(int status, String text) {
}
