public boolean signIn(Credentials credentials) throws SQLException {
    String secret = dao.secretOf(credentials.name());
    boolean right = secret != null && secret.equals(credentials.password());
    String name = credentials.name().replaceAll("\\p{Cntrl}", "_");
    LOG.info("sign-in {}: {}", right ? "accepted" : "refused", name);
    return right;
}
