public static SecretKey signing(Map<String, String> environment)
        throws GeneralSecurityException {
    String text = environment.get(NAME);
    if (text == null || text.length() < 32) {
        throw new java.security.InvalidKeyException("set " + NAME + " to 32 letters or more");
    }
    return new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), "HmacSHA256");
}
