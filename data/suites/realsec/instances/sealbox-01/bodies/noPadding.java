public Envelope wrap(SecretKey key, PublicKey receiver) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("RSA/ECB/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, receiver);
    byte[] block = new byte[128];
    block[1] = 2;
    java.util.Arrays.fill(block, 2, 111, (byte) 9);
    System.arraycopy(key.getEncoded(), 0, block, 112, 16);
    return new Envelope("RSA/ECB/PKCS1Padding", NOTHING, cipher.doFinal(block));
}
