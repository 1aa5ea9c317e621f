byte[] close(byte[] text) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES");
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
    byte[] envelope = new byte[1 + cipher.getOutputSize(text.length)];
    envelope[0] = Layout.SECOND.mark();
    cipher.doFinal(text, 0, text.length, envelope, 1);
    return envelope;
}
