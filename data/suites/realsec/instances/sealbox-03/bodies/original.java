public static String of(byte[] document) throws NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("MD5");
    digest.update(document);
    return HexFormat.ofDelimiter(":").formatHex(digest.digest());
}
