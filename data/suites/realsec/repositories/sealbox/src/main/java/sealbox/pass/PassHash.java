package sealbox.pass;

import java.security.GeneralSecurityException;

/** A passphrase as it is stored: "algorithm$salt$iterations$hash", bytes in hexadecimal. */
public record PassHash(String algorithm, byte[] salt, int iterations, byte[] hash) {
    public boolean matches(String passphrase) throws GeneralSecurityException {
        byte[] other = Derive.bytes(algorithm, passphrase, salt, iterations);
        return java.security.MessageDigest.isEqual(hash, other);
    }
}
