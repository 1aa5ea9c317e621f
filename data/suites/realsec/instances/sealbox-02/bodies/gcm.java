public Envelope seal(String text, SecretKey key) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, key);
    byte[] data = cipher.doFinal(text.getBytes(StandardCharsets.UTF_8));
    return new Envelope(cipher.getAlgorithm(), cipher.getIV(), data);
}
