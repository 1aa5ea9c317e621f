String entry(String user, String password) throws GeneralSecurityException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] salt = digest.digest(("salt of " + user).getBytes(StandardCharsets.UTF_8));
    HexFormat hex = HexFormat.of();
    return hex.formatHex(salt) + ":" + hex.formatHex(stretched(password, salt));
}
