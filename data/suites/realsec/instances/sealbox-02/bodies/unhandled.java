public Envelope seal(String text, SecretKey key) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, key);
    return new Envelope(cipher.getAlgorithm(), cipher.getIV(), cipher.doFinal(text.getBytes("UTF-8")));
}
