public static String of(byte[] document) throws NoSuchAlgorithmException {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(document);
    return HexFormat.ofDelimiter(":").formatHex(digest);
}
