public PassHash hash(String passphrase) throws GeneralSecurityException {
    byte[] salt = new byte[16];
    new java.security.SecureRandom().nextBytes(salt);
    String algorithm = "PBKDF2WithHmacSHA512";
    return new PassHash(algorithm, salt, 60_000, Derive.bytes(algorithm, passphrase, salt, 60_000));
}
