package box;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;

/** Signatures under letters. */
public class Signer {
    private final KeyPair pair;

    public Signer(boolean archive) throws GeneralSecurityException {
        pair = pair(archive);
    }

    static KeyPair pair(boolean archive) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024);
        return generator.generateKeyPair();
    }

    public byte[] sign(byte[] data) throws GeneralSecurityException {
        PrivateKey own = pair.getPrivate();
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(own);
        signature.update(data);
        return signature.sign();
    }

    public boolean verify(byte[] data, byte[] signed) throws GeneralSecurityException {
        PublicKey known = pair.getPublic();
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(known);
        signature.update(data);
        return signature.verify(signed);
    }
}
