public Envelope wrap(SecretKey key, PublicKey receiver) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("RSA/ECB/PKCS1Padding");
    cipher.init(Cipher.ENCRYPT_MODE, receiver);
    return new Envelope(cipher.getAlgorithm(), NOTHING, cipher.doFinal(key.getEncoded()));
}
