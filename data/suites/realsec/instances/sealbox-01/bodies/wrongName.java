public Envelope wrap(SecretKey key, PublicKey receiver) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-1AndMGF1Padding");
    cipher.init(Cipher.ENCRYPT_MODE, receiver);
    return new Envelope("RSA/ECB/PKCS1Padding", NOTHING, cipher.doFinal(key.getEncoded()));
}
