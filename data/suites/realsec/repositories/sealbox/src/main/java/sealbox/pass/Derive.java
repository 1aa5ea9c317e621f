package sealbox.pass;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Bytes from a passphrase: by a key derivation (PBKDF2...) or by a digest, round after round. */
public final class Derive {
    private Derive() {
    }

    public static byte[] bytes(String algorithm, String passphrase, byte[] salt, int iterations)
            throws GeneralSecurityException {
        if (algorithm.startsWith("PBKDF2")) {
            PBEKeySpec spec = new PBEKeySpec(passphrase.toCharArray(), salt, iterations, 256);
            return SecretKeyFactory.getInstance(algorithm).generateSecret(spec).getEncoded();
        }
        byte[] bytes = passphrase.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < iterations; i++) {
            MessageDigest digest = MessageDigest.getInstance(algorithm);
            digest.update(salt);
            bytes = digest.digest(bytes);
        }
        return bytes;
    }
}
