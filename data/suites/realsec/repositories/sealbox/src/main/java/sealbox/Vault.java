package sealbox;

import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.SecretKey;

/** Sealed notes by title. */
public class Vault {
    private final NoteCipher cipher = new NoteCipher();
    private final Map<String, String> lines = new LinkedHashMap<>();
    private final SecretKey key;

    public Vault(SecretKey key) {
        this.key = key;
    }

    public void put(String title, String text) throws GeneralSecurityException {
        lines.put(title, cipher.seal(text, key).line());
    }

    public String get(String title) throws GeneralSecurityException {
        String line = lines.get(title);
        return line == null ? null : cipher.open(Envelope.of(line), key);
    }

    /** What is stored under a title. */
    public Envelope stored(String title) {
        return Envelope.of(lines.get(title));
    }
}
