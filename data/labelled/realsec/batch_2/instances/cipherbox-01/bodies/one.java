public Letter seal(String text) throws GeneralSecurityException {
    if (text.length() > longest) {
        throw new IllegalArgumentException("too long");
    }
    byte[] start = new byte[16];
    new SecureRandom().nextBytes(start);
    Cipher cipher = Cipher.getInstance(CIPHER);
    cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(start));
    return new Letter(start, cipher.doFinal(text.getBytes(StandardCharsets.UTF_8)));
}
