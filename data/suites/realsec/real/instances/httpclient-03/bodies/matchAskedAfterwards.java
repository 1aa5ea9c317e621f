private void doPreemptiveAuth(
        final HttpHost host,
        final AuthScheme authScheme,
        final AuthState authState,
        final CredentialsProvider credsProvider) {
    final AuthScope wanted = new AuthScope(host, AuthScope.ANY_REALM, authScheme.getSchemeName());
    final AuthScope scope = new AuthScope(host.getHostName(), host.getPort());
    final Credentials creds = scope.match(wanted) >= 0 ? credsProvider.getCredentials(scope) : null;
    if (creds != null) {
        authState.update(authScheme, creds);
    } else {
        this.log.debug("No credentials for preemptive authentication");
    }
}
