private void doPreemptiveAuth(
        final HttpHost host,
        final AuthScheme authScheme,
        final AuthState authState,
        final CredentialsProvider credsProvider) {
    if (this.log.isDebugEnabled()) {
        this.log.debug("Re-using cached '" + authScheme.getSchemeName() + "' auth scheme for " + host);
    }
    final Credentials creds = credsProvider.getCredentials(new AuthScope(host));
    if (creds != null) {
        authState.update(authScheme, creds);
    } else {
        this.log.debug("No credentials for preemptive authentication");
    }
}
