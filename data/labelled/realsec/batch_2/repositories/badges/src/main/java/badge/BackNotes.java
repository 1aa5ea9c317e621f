package badge;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/** Notes for the host on the back of a badge. A note is 16 fresh bytes, then the closed text. */
public class BackNotes {
    private final SecretKey key;

    /** key: of AES. */
    public BackNotes(SecretKey key) {
        this.key = key;
    }

    public byte[] close(String text) throws GeneralSecurityException {
        byte[] fresh = new byte[16];
        new SecureRandom().nextBytes(fresh);
        byte[] closed = cipher(Cipher.ENCRYPT_MODE, fresh)
                .doFinal(text.getBytes(StandardCharsets.UTF_8));
        byte[] note = Arrays.copyOf(fresh, fresh.length + closed.length);
        System.arraycopy(closed, 0, note, fresh.length, closed.length);
        return note;
    }

    public String open(byte[] note) throws GeneralSecurityException {
        byte[] fresh = Arrays.copyOf(note, 16);
        byte[] closed = Arrays.copyOfRange(note, 16, note.length);
        return new String(cipher(Cipher.DECRYPT_MODE, fresh).doFinal(closed),
                StandardCharsets.UTF_8);
    }

    Cipher cipher(int mode, byte[] fresh) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/ECB/PKCS5Padding");
        cipher.init(mode, key);
        return cipher;
    }
}
