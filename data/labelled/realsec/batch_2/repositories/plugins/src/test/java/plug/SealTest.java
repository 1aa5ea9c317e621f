package plug;

import static org.junit.jupiter.api.Assertions.*;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SealTest {
    private static KeyPair first;
    private static KeyPair second;
    private static KeyPair stranger;
    private static final byte[] DATA = "main: plug.tools.Shout".getBytes();

    @BeforeAll
    static void pairs() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        first = generator.generateKeyPair();
        second = generator.generateKeyPair();
        stranger = generator.generateKeyPair();
    }

    private static byte[] seal(KeyPair by, byte[] data) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(by.getPrivate());
        signature.update(data);
        return signature.sign();
    }

    private static Seal packers() {
        return new Seal(List.of(first.getPublic(), second.getPublic()));
    }

    @Test
    void opensWhatAPackerSealed() throws GeneralSecurityException {
        assertArrayEquals(DATA, packers().open(DATA, seal(first, DATA)));
        assertArrayEquals(DATA, packers().open(DATA, seal(second, DATA)));
    }

    @Test
    void knowsWhetherThereAreAny() {
        assertTrue(packers().usable());
        assertFalse(new Seal(List.of()).usable());
    }

    private static void shut(byte[] data, byte[] seal) {
        assertThrows(Exception.class, () -> packers().open(data, seal));
    }

    @Test
    void aChangedPackageStaysShut() throws GeneralSecurityException {
        shut("main: plug.tools.Mirror".getBytes(), seal(first, DATA));
        shut(DATA, seal(stranger, DATA));
    }

    @Test
    void soDoesOneWithoutASeal() {
        shut(DATA, new byte[0]);
        shut(DATA, new byte[] {1, 2, 3});
    }
}
