package access.session;

/** A signed-in user; "id" is what the browser keeps in its cookie, "form" what its forms send. */
public record Session(String id, String user, String form) {
    /** For messages: the user, and the beginning of the id. */
    public String label() {
        return user + "/" + id.substring(0, Math.min(4, id.length()));
    }
}
