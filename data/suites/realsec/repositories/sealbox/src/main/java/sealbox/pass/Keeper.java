package sealbox.pass;

import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Map;

/** Passphrases of the users, hashed. */
public class Keeper {
    private final Map<String, PassHash> stored = new HashMap<>();

    public void set(String user, String passphrase) throws GeneralSecurityException {
        stored.put(user, hash(passphrase));
    }

    public boolean check(String user, String passphrase) throws GeneralSecurityException {
        PassHash known = stored.get(user);
        return known != null && known.matches(passphrase);
    }

    public PassHash hash(String passphrase) throws GeneralSecurityException {
        if (passphrase.length() < 4) {
            throw new IllegalArgumentException("too short");
        }
        byte[] salt = new byte[0];
        return new PassHash("SHA-1", salt, 1, Derive.bytes("SHA-1", passphrase, salt, 1));
    }
}
