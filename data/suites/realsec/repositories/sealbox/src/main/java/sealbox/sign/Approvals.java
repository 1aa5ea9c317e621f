package sealbox.sign;

import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;

/** Who approved which document; only fingerprints are kept. */
public class Approvals {
    private final Map<String, String> approved = new HashMap<>();

    public void approve(byte[] document, String by) throws NoSuchAlgorithmException {
        approved.put(key(document), by);
    }

    public String approver(byte[] document) throws NoSuchAlgorithmException {
        return approved.get(key(document));
    }

    private String key(byte[] document) throws NoSuchAlgorithmException {
        return document.length + "/" + Fingerprint.of(document);
    }
}
