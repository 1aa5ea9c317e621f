public PassHash hash(String passphrase) throws GeneralSecurityException {
    if (passphrase.length() < 4) {
        throw new IllegalArgumentException("too short");
    }
    byte[] salt = new byte[16];
    new java.security.SecureRandom().nextBytes(salt);
    String algorithm = "PBKDF2WithHmacSHA256";
    int iterations = 120_000;
    return new PassHash(algorithm, salt, iterations,
            Derive.bytes(algorithm, passphrase, salt, iterations));
}
