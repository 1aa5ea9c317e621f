package depot.store;

/** Bytes that an owner may still use; asked by several threads at once. */
public class Quota {
    private final Meter meter;
    private final long allowed;

    public Quota(Meter meter, long allowed) {
        this.meter = meter;
        this.allowed = allowed;
    }

    public boolean reserve(long bytes) {
        if (meter.used() + bytes > allowed) {
            return false;
        }
        meter.add(bytes);
        return true;
    }

    public long left() {
        return allowed - meter.used();
    }
}
