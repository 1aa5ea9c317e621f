package shop.pepperbox.stalls.partner;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.Optional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Passes pictures on, so that visitors need not call the partners themselves. */
@RestController
public class PictureController {
    private static final int LARGEST = 1 << 20;

    private final PartnerSettings partners;

    public PictureController(PartnerSettings partners) {
        this.partners = partners;
    }

    @GetMapping("/picture")
    public Optional<byte[]> picture(@RequestParam("from") String from) throws IOException {
        URLConnection connection = new URL(from).openConnection();
        connection.setConnectTimeout(partners.timeoutMillis());
        connection.setReadTimeout(partners.timeoutMillis());
        return content(connection);
    }

    private static Optional<byte[]> content(URLConnection connection) throws IOException {
        if (connection instanceof HttpURLConnection http && http.getResponseCode() != 200) {
            return Optional.empty();
        }
        try (InputStream in = connection.getInputStream()) {
            return Optional.of(in.readNBytes(LARGEST));
        }
    }
}
