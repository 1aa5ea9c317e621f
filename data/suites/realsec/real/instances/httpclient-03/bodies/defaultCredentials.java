private void doPreemptiveAuth(
        final HttpHost host,
        final AuthScheme authScheme,
        final AuthState authState,
        final CredentialsProvider credsProvider) {
    final String schemeName = authScheme.getSchemeName();
    this.log.debug("Re-using cached '" + schemeName + "' auth scheme for " + host);
    Credentials creds = credsProvider.getCredentials(new AuthScope(host, AuthScope.ANY_REALM, schemeName));
    if (creds == null) {
        // fall back to the default credentials
        creds = credsProvider.getCredentials(AuthScope.ANY);
    }
    if (creds != null) {
        authState.update(authScheme, creds);
    } else {
        this.log.debug("No credentials for preemptive authentication");
    }
}
