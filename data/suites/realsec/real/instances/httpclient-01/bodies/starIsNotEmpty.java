private static boolean matchIdentity(final String host, final String identity,
                                     final PublicSuffixMatcher publicSuffixMatcher,
                                     final DomainType domainType,
                                     final boolean strict) {
    if (publicSuffixMatcher != null && host.contains(".")) {
        if (!matchDomainRoot(host, publicSuffixMatcher.getDomainRoot(identity, domainType))) {
            return false;
        }
    }
    if (identity.startsWith("*.")) {
        final int dot = host.indexOf('.');
        return dot > 0 && host.substring(dot).equalsIgnoreCase(identity.substring(1));
    }
    return host.equalsIgnoreCase(identity);
}
