public PassHash hash(String passphrase) throws GeneralSecurityException {
    if (passphrase.length() < 4) {
        throw new IllegalArgumentException("too short");
    }
    byte[] salt = new byte[16];
    new java.security.SecureRandom().nextBytes(salt);
    return new PassHash("SHA-512", salt, 1, Derive.bytes("SHA-512", passphrase, salt, 1));
}
