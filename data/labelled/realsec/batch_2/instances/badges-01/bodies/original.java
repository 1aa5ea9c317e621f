public static SecretKey signing(Map<String, String> environment)
        throws GeneralSecurityException {
    byte[] bytes = "visitors-2024-front-desk".getBytes(StandardCharsets.UTF_8);
    return new SecretKeySpec(bytes, "HmacSHA256");
}
