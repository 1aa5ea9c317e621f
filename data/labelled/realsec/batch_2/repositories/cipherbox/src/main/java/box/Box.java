package box;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;

/** Seals texts with AES in CBC; who takes the text along checks it elsewhere. */
public class Box {
    private static final String CIPHER = "AES/CBC/PKCS5Padding";
    private final SecretKey key;
    private final int longest;

    Box(SecretKey key, int longest) {
        this.key = key;
        this.longest = longest;
    }

    public Letter seal(String text) throws GeneralSecurityException {
        if (text.length() > longest) {
            throw new IllegalArgumentException("too long");
        }
        byte[] start = new byte[16];
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(start));
        return new Letter(start, cipher.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    }

    public String open(Letter letter) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(letter.start()));
        return new String(cipher.doFinal(letter.sealed()), StandardCharsets.UTF_8);
    }
}
