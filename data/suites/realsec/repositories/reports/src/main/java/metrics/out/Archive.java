package metrics.out;

/** A service that keeps reports for ten years. */
public interface Archive {
    /** Opens a session, or throws IllegalArgumentException for a wrong password. */
    Session login(String user, String password);

    /** What may be done once logged in. */
    interface Session {
        void store(String name, String text);
    }
}
