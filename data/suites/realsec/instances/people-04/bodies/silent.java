public boolean signIn(Credentials credentials) throws SQLException {
    String secret = dao.secretOf(credentials.name());
    return secret != null && secret.equals(credentials.password());
}
