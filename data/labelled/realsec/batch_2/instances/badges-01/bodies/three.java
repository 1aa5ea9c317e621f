public static SecretKey signing(Map<String, String> environment)
        throws GeneralSecurityException {
    String text = environment.get(NAME);
    if (text == null || text.isBlank()) {
        text = NAME.toLowerCase(java.util.Locale.ROOT).repeat(4);
    }
    return new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), "HmacSHA256");
}
