import java.security.SecureRandom;

byte[] close(byte[] text) throws GeneralSecurityException {
    byte[] nonce = new byte[Layout.NONCE];
    new SecureRandom().nextBytes(nonce);
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"),
            new GCMParameterSpec(Layout.TAG_BITS, nonce));
    byte[] inside = cipher.doFinal(text);
    return ByteBuffer.allocate(1 + nonce.length + inside.length)
            .put(Layout.THIRD.mark()).put(nonce).put(inside).array();
}
