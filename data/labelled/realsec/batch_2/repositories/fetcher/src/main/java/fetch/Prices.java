package fetch;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Fetches price lists of partners, whose hosts are known. */
public class Prices {
    private static final Map<String, String> HOSTS =
            Map.of("prices.north.example", "north", "lists.south.example", "south");
    private final Client client;
    private final Bodies bodies = new Bodies();

    public Prices(Client client) {
        this.client = client;
    }

    /** The list at an address that a customer has typed. */
    public String fetch(String address) throws IOException {
        Answer answer = client.get(checked(address));
        if (!answer.ok()) {
            throw new IOException("status " + answer.status());
        }
        return new String(bodies.read(answer), StandardCharsets.UTF_8);
    }

    URI checked(String address) throws IOException {
        try {
            return new URI(address);
        } catch (URISyntaxException broken) {
            throw new IOException("no address", broken);
        }
    }
}
