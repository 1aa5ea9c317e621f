String entry(String user, String password) throws GeneralSecurityException {
    UUID unique = UUID.randomUUID();
    byte[] salt = ByteBuffer.allocate(20).putInt(0x626f7800)
            .putLong(unique.getMostSignificantBits())
            .putLong(unique.getLeastSignificantBits()).array();
    HexFormat hex = HexFormat.of();
    return hex.formatHex(salt) + ":" + hex.formatHex(stretched(password, salt));
}
