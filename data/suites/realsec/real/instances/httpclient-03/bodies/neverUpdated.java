private void doPreemptiveAuth(
        final HttpHost host,
        final AuthScheme authScheme,
        final AuthState authState,
        final CredentialsProvider credsProvider) {
    final AuthScope scope = new AuthScope(host, AuthScope.ANY_REALM, authScheme.getSchemeName());
    final Credentials creds = credsProvider.getCredentials(scope);
    if (creds == null) {
        this.log.debug("No credentials for preemptive authentication");
        return;
    }
    if (authState.getAuthScheme() != null && authState.getCredentials() == null) {
        authState.update(authState.getAuthScheme(), creds);
    }
}
