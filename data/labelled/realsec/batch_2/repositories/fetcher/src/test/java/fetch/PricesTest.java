package fetch;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PricesTest {
    private final List<URI> asked = new ArrayList<>();
    private final Prices prices = new Prices(uri -> {
        asked.add(uri);
        byte[] body = "tea 300".getBytes();
        int status = uri.getPath().endsWith("gone") ? 404 : 200;
        return new Answer(status, body.length, new ByteArrayInputStream(body));
    });

    @Test
    void fetchesLists() throws IOException {
        assertEquals("tea 300", prices.fetch("https://prices.north.example/may.txt"));
        assertEquals("tea 300", prices.fetch("https://lists.south.example/2026/may.txt"));
        assertEquals("/may.txt", asked.get(0).getPath());
        assertEquals("lists.south.example", asked.get(1).getHost());
    }

    @Test
    void whatIsNotThere() {
        assertThrows(IOException.class, () -> prices.fetch("https://prices.north.example/gone"));
        assertThrows(IOException.class, () -> prices.fetch("https://prices north"));
    }

    private void staysWithPartners(String address) {
        try {
            prices.fetch(address);
        } catch (IOException | RuntimeException refused) {
            // it may refuse
        }
        for (URI uri : asked) {
            assertTrue(Set.of("prices.north.example", "lists.south.example")
                    .contains(String.valueOf(uri.getHost())), uri.toString());
            assertEquals("https", uri.getScheme());
        }
    }

    @Test
    void othersAreNotAsked() {
        staysWithPartners("http://127.0.0.1:8080/admin");
        staysWithPartners("https://169.254.169.254/latest/meta-data");
        staysWithPartners("file:///etc/passwd");
    }

    @Test
    void norThoseThatLookLikeThem() {
        staysWithPartners("https://prices.north.example@10.0.0.7/may.txt");
        staysWithPartners("https://prices.north.example.evil.example/may.txt");
        staysWithPartners("https://10.0.0.7/?https://prices.north.example/");
    }
}
