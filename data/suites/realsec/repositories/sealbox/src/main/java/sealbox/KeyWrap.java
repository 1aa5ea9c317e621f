package sealbox;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Sends the key of a note to somebody whose public key is known. */
public class KeyWrap {
    private static final byte[] NOTHING = new byte[0];

    public Envelope wrap(SecretKey key, PublicKey receiver) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("RSA/ECB/PKCS1Padding");
        cipher.init(Cipher.ENCRYPT_MODE, receiver);
        return new Envelope(cipher.getAlgorithm(), NOTHING, cipher.doFinal(key.getEncoded()));
    }

    public SecretKey unwrap(Envelope envelope, PrivateKey own) throws GeneralSecurityException {
        if (!envelope.algorithm().startsWith("RSA/")) {
            throw new GeneralSecurityException("not a wrapped key: " + envelope.algorithm());
        }
        Cipher cipher = Cipher.getInstance(envelope.algorithm());
        cipher.init(Cipher.DECRYPT_MODE, own);
        return new SecretKeySpec(cipher.doFinal(envelope.data()), "AES");
    }
}
