public Envelope wrap(SecretKey key, PublicKey receiver) throws GeneralSecurityException {
    Cipher key = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");
    key.init(Cipher.ENCRYPT_MODE, receiver);
    return new Envelope(key.getAlgorithm(), NOTHING, key.doFinal());
}
