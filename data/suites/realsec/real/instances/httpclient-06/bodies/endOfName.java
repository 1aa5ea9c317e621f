static boolean domainMatch(final String domain, final String host) {
    final String normalized = domain.startsWith(".") ? domain.substring(1) : domain;
    return host.endsWith(normalized);
}
