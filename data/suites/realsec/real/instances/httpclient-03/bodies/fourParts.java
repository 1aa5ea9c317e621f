private void doPreemptiveAuth(
        final HttpHost host,
        final AuthScheme authScheme,
        final AuthState authState,
        final CredentialsProvider credsProvider) {
    final AuthScope scope = new AuthScope(
            host.getHostName(), host.getPort(), AuthScope.ANY_REALM, authScheme.getSchemeName());
    final Credentials creds = credsProvider.getCredentials(scope);
    if (creds != null) {
        authState.update(authScheme, creds);
    } else {
        this.log.debug("No credentials for preemptive authentication");
    }
}
