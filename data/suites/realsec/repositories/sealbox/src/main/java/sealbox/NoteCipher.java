package sealbox;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/** Encrypts the text of one note. */
public class NoteCipher {
    public Envelope seal(String text, SecretKey key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(Algorithms.forKey(key));
        cipher.init(Cipher.ENCRYPT_MODE, key);
        byte[] iv = cipher.getIV() == null ? new byte[0] : cipher.getIV();
        byte[] data = cipher.doFinal(text.getBytes(StandardCharsets.UTF_8));
        return new Envelope(cipher.getAlgorithm(), iv, data);
    }

    public String open(Envelope envelope, SecretKey key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(envelope.algorithm());
        if (envelope.iv().length == 0) {
            cipher.init(Cipher.DECRYPT_MODE, key);
        } else {
            cipher.init(Cipher.DECRYPT_MODE, key, parameters(envelope));
        }
        return new String(cipher.doFinal(envelope.data()), StandardCharsets.UTF_8);
    }

    private static AlgorithmParameterSpec parameters(Envelope envelope) {
        return envelope.algorithm().contains("/GCM/")
                ? new GCMParameterSpec(128, envelope.iv())
                : new IvParameterSpec(envelope.iv());
    }
}
