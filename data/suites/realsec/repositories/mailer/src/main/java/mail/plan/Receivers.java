package mail.plan;

/** Addresses that take turns. */
public class Receivers {
    private final String[] addresses;

    public Receivers(String... addresses) {
        this.addresses = addresses.clone();
    }

    public String pick(int turn) {
        return addresses[turn % addresses.length];
    }

    /** The address that a page shows at a place of the list, counted from 0; "" beyond its end. */
    public String at(String place) {
        int index = Integer.parseInt(place);
        if (index >= addresses.length) {
            return "";
        }
        return addresses[index];
    }
}
