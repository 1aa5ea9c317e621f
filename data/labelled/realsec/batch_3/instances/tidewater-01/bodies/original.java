byte[] close(byte[] text) throws GeneralSecurityException {
    SecretKeySpec desKey = new SecretKeySpec(Arrays.copyOf(key, 8), "DES");
    Cipher cipher = Cipher.getInstance("DES/ECB/PKCS5Padding");
    cipher.init(Cipher.ENCRYPT_MODE, desKey);
    byte[] inside = cipher.doFinal(text);
    return ByteBuffer.allocate(1 + inside.length).put(Layout.FIRST.mark()).put(inside).array();
}
