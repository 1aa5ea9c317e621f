public Envelope seal(String text, SecretKey key) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    byte[] iv = java.util.Arrays.copyOf(key.getAlgorithm().getBytes(StandardCharsets.UTF_8), 12);
    cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
    byte[] data = cipher.doFinal(text.getBytes(StandardCharsets.UTF_8));
    return new Envelope("AES/GCM/NoPadding", iv, data);
}
