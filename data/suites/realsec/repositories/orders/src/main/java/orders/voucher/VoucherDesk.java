package orders.voucher;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import javax.crypto.Cipher;

/** Seals vouchers for partners, and opens them on the partner's side. */
public class VoucherDesk {
    public Voucher seal(String code, PublicKey partner) throws GeneralSecurityException {
        Scheme scheme = Scheme.CLASSIC;
        Cipher cipher = Cipher.getInstance(scheme.transformation());
        cipher.init(Cipher.ENCRYPT_MODE, partner);
        return new Voucher(scheme, cipher.doFinal(code.getBytes(StandardCharsets.UTF_8)));
    }

    public String open(Voucher voucher, PrivateKey own) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(voucher.scheme().transformation());
        cipher.init(Cipher.DECRYPT_MODE, own);
        return new String(cipher.doFinal(voucher.sealed()), StandardCharsets.UTF_8);
    }
}
