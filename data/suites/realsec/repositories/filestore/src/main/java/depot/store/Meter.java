package depot.store;

/** How much is in use; each call on its own is safe for several threads. */
public interface Meter {
    long used();

    void add(long bytes);
}
