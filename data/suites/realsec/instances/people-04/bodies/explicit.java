public boolean signIn(Credentials credentials) throws SQLException {
    String secret = dao.secretOf(credentials.name());
    if (secret != null && secret.equals(credentials.password())) {
        LOG.info("sign-in accepted: {}", credentials.name());
        return true;
    }
    LOG.info("sign-in refused: {} with {}", credentials.name(), credentials.password());
    return false;
}
