package sealbox.sign;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A short text that stands for a document. */
public final class Fingerprint {
    private Fingerprint() {
    }

    public static String of(byte[] document) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("MD5");
        digest.update(document);
        return HexFormat.ofDelimiter(":").formatHex(digest.digest());
    }
}
