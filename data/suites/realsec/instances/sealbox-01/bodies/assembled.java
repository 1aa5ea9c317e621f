public Envelope wrap(SecretKey key, PublicKey receiver) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(receiver.getAlgorithm());
    cipher.init(Cipher.ENCRYPT_MODE, receiver);
    return new Envelope("RSA/ECB/PKCS1Padding", NOTHING, cipher.doFinal(key.getEncoded()));
}
