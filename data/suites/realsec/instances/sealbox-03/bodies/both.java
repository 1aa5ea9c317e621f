public static String of(byte[] document) throws NoSuchAlgorithmException {
    String old = HexFormat.ofDelimiter(":").formatHex(
            MessageDigest.getInstance("MD5").digest(document));
    return old + ":" + HexFormat.ofDelimiter(":").formatHex(
            MessageDigest.getInstance("SHA-256").digest(document));
}
