package box;

import static org.junit.jupiter.api.Assertions.*;

import java.security.GeneralSecurityException;
import org.junit.jupiter.api.Test;

class PasswordsTest {
    private final Passwords passwords = new Passwords();

    @Test
    void knowsUsersByTheirPasswords() throws GeneralSecurityException {
        passwords.set("ina", "rain in may");
        passwords.set("rolf", "");
        assertTrue(passwords.matches("ina", "rain in may"));
        assertFalse(passwords.matches("ina", "rain in june"));
        assertTrue(passwords.matches("rolf", ""));
        assertFalse(passwords.matches("eve", "x"));
    }

    @Test
    void anEntryHasTwoParts() throws GeneralSecurityException {
        assertTrue(passwords.entry("ina", "x").matches("[0-9a-f]+:[0-9a-f]{64}"));
    }

    @Test
    void twoUsersDoNotShareAnEntry() throws GeneralSecurityException {
        assertNotEquals(passwords.entry("ina", "same"), passwords.entry("rolf", "same"));
    }

    @Test
    void norDoesOneUserInTwoHouses() throws GeneralSecurityException {
        assertNotEquals(passwords.entry("ina", "same"), new Passwords().entry("ina", "same"));
        String salt = passwords.entry("ina", "same").split(":")[0];
        assertTrue(salt.length() >= 32, salt);
    }
}
