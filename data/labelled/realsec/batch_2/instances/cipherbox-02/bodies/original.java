String entry(String user, String password) throws GeneralSecurityException {
    byte[] salt = "letters under lock".getBytes(StandardCharsets.UTF_8);
    HexFormat hex = HexFormat.of();
    return hex.formatHex(salt) + ":" + hex.formatHex(stretched(password, salt));
}
