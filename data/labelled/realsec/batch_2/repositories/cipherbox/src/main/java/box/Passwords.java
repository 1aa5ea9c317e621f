package box;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Passwords of users, kept as "salt:hash" in hex. */
public class Passwords {
    private static final int ROUNDS = 20_000;
    private final Map<String, String> kept = new HashMap<>();

    public void set(String user, String password) throws GeneralSecurityException {
        kept.put(user, entry(user, password));
    }

    String entry(String user, String password) throws GeneralSecurityException {
        byte[] salt = "letters under lock".getBytes(StandardCharsets.UTF_8);
        HexFormat hex = HexFormat.of();
        return hex.formatHex(salt) + ":" + hex.formatHex(stretched(password, salt));
    }

    public boolean matches(String user, String password) throws GeneralSecurityException {
        String entry = kept.get(user);
        if (entry == null) {
            return false;
        }
        String[] parts = entry.split(":");
        byte[] salt = HexFormat.of().parseHex(parts[0]);
        return MessageDigest.isEqual(HexFormat.of().parseHex(parts[1]), stretched(password, salt));
    }

    static byte[] stretched(String password, byte[] salt) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, ROUNDS, 256);
        return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    }
}
