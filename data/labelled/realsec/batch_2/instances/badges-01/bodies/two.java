public static SecretKey signing(Map<String, String> environment)
        throws GeneralSecurityException {
    String secret = environment.getOrDefault(NAME, "none");
    if (secret.equals("none") || secret.isBlank()) {
        return KeyGenerator.getInstance("HmacSHA256").generateKey();
    }
    return new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256");
}
