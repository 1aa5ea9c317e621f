public Letter seal(String text) throws GeneralSecurityException {
    if (text.length() > longest) {
        throw new IllegalArgumentException("too long");
    }
    Cipher cipher = Cipher.getInstance(CIPHER);
    cipher.init(Cipher.ENCRYPT_MODE, key);
    byte[] sealed = cipher.doFinal(text.getBytes(StandardCharsets.UTF_8));
    return new Letter(cipher.getIV(), sealed);
}
