public PassHash hash(String passphrase) throws GeneralSecurityException {
    if (passphrase.length() < 4) {
        throw new IllegalArgumentException("too short");
    }
    byte[] salt = "sealbox!".getBytes();
    String algorithm = "PBKDF2WithHmacSHA256";
    return new PassHash(algorithm, salt, 50_000, Derive.bytes(algorithm, passphrase, salt, 50_000));
}
