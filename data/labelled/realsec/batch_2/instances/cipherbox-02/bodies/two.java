String entry(String user, String password) throws GeneralSecurityException {
    byte[] salt = new byte[16];
    new SecureRandom().nextBytes(salt);
    HexFormat hex = HexFormat.of();
    return hex.formatHex(salt) + ":" + hex.formatHex(stretched(password, salt));
}
