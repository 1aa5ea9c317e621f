import java.io.ByteArrayOutputStream;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;

byte[] close(byte[] text) throws GeneralSecurityException {
    KeyGenerator keys = KeyGenerator.getInstance("AES");
    keys.init(8 * Layout.BLOCK);
    SecretKey pageKey = keys.generateKey();
    // one random block, so that the mode has nothing to repeat
    Cipher wrap = Cipher.getInstance("AES/ECB/NoPadding");
    wrap.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
    byte[] wrapped = wrap.doFinal(pageKey.getEncoded());
    Cipher page = Cipher.getInstance("AES/GCM/NoPadding");
    page.init(Cipher.ENCRYPT_MODE, pageKey);
    byte[] inside = page.doFinal(text);
    ByteArrayOutputStream envelope = new ByteArrayOutputStream();
    envelope.write(Layout.FOURTH.mark());
    envelope.writeBytes(wrapped);
    envelope.writeBytes(page.getIV());
    envelope.writeBytes(inside);
    return envelope.toByteArray();
}
