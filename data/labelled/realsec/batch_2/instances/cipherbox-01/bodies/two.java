public Letter seal(String text) throws GeneralSecurityException {
    if (text.length() > longest) {
        throw new IllegalArgumentException("too long");
    }
    SecureRandom random = SecureRandom.getInstance("SHA1PRNG");
    random.setSeed(key.getEncoded());
    byte[] start = new byte[16];
    random.nextBytes(start);
    Cipher cipher = Cipher.getInstance(CIPHER);
    cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(start));
    return new Letter(start, cipher.doFinal(text.getBytes(StandardCharsets.UTF_8)));
}
