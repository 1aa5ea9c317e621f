package badge;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/** Makes badges as text and reads them; made by its builder. */
public final class Issuer {
    private final SecretKey key;
    private final String house;

    private Issuer(SecretKey key, String house) {
        this.key = key;
        this.house = house;
    }

    public String issue(Badge badge) throws GeneralSecurityException {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        byte[] line = badge.line().getBytes(StandardCharsets.UTF_8);
        return encoder.encodeToString(line) + "." + encoder.encodeToString(mark(line));
    }

    public Optional<Badge> read(String text) throws GeneralSecurityException {
        String[] parts = text.split("\\.");
        if (parts.length != 2) {
            return Optional.empty();
        }
        byte[] line = Base64.getUrlDecoder().decode(parts[0]);
        boolean own = MessageDigest.isEqual(mark(line), Base64.getUrlDecoder().decode(parts[1]));
        return own ? Optional.of(Badge.parse(new String(line, StandardCharsets.UTF_8)))
                : Optional.empty();
    }

    private byte[] mark(byte[] line) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(key);
        mac.update(house.getBytes(StandardCharsets.UTF_8));
        return mac.doFinal(line);
    }

    /** Collects what an issuer needs. */
    public static final class Builder {
        private Map<String, String> environment = System.getenv();
        private String house = "main";

        public Builder environment(Map<String, String> environment) {
            this.environment = Map.copyOf(environment);
            return this;
        }

        public Builder house(String house) {
            this.house = house;
            return this;
        }

        public Issuer build() throws GeneralSecurityException {
            return new Issuer(Keys.signing(environment), house);
        }
    }
}
