package orders.voucher;

import static org.junit.jupiter.api.Assertions.*;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import javax.crypto.Cipher;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class VoucherDeskTest {
    private static KeyPair pair;
    private final VoucherDesk desk = new VoucherDesk();

    @BeforeAll
    static void generate() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024); // small, for the test only
        pair = generator.generateKeyPair();
    }

    @Test
    void sealsAndOpens() throws GeneralSecurityException {
        Voucher voucher = desk.seal("10 € off", pair.getPublic());
        assertEquals("10 € off", desk.open(voucher, pair.getPrivate()));
        assertEquals("", desk.open(desk.seal("", pair.getPublic()), pair.getPrivate()));
    }

    /** Under PKCS#1 v1.5 a plain block begins 00 02; the bytes of OAEP are masked. */
    @Test
    void theBlockHasNoKnownBeginning() throws GeneralSecurityException {
        Cipher raw = Cipher.getInstance("RSA/ECB/NoPadding");
        raw.init(Cipher.DECRYPT_MODE, pair.getPrivate());
        int typical = 0;
        for (int i = 0; i < 4; i++) {
            byte[] block = raw.doFinal(desk.seal("10 off", pair.getPublic()).sealed());
            typical += block.length >= 127 && block[block.length - 127] == 2 ? 1 : 0;
        }
        assertTrue(typical < 4, "every block is padded as PKCS#1 v1.5 does");
    }
}
