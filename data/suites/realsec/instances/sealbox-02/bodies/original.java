public Envelope seal(String text, SecretKey key) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(Algorithms.forKey(key));
    cipher.init(Cipher.ENCRYPT_MODE, key);
    byte[] iv = cipher.getIV() == null ? new byte[0] : cipher.getIV();
    byte[] data = cipher.doFinal(text.getBytes(StandardCharsets.UTF_8));
    return new Envelope(cipher.getAlgorithm(), iv, data);
}
