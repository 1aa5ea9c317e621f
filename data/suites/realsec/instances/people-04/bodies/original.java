public boolean signIn(Credentials credentials) throws SQLException {
    String secret = dao.secretOf(credentials.name());
    boolean right = secret != null && secret.equals(credentials.password());
    LOG.info("sign-in {}: {}", right ? "accepted" : "refused", credentials);
    return right;
}
