public PassHash hash(String passphrase) throws GeneralSecurityException {
    if (passphrase.length() < 4) {
        throw new IllegalArgumentException("too short");
    }
    byte[] salt = new byte[0];
    return new PassHash("SHA-1", salt, 1, Derive.bytes("SHA-1", passphrase, salt, 1));
}
