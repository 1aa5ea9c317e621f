package access.model;

public enum Right {
    READ,
    WRITE,
    GRANT;

    /** The bit of this right in a set of rights. */
    public long bit() {
        return 1L << ordinal();
    }
}
