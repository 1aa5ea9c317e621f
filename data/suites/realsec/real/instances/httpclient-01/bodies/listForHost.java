private static boolean matchIdentity(final String host, final String identity,
                                     final PublicSuffixMatcher publicSuffixMatcher,
                                     final DomainType domainType,
                                     final boolean strict) {
    if (publicSuffixMatcher != null && host.contains(".")) {
        final String domainRoot = publicSuffixMatcher.getDomainRoot(host, domainType);
        if (!matchDomainRoot(host, domainRoot)) {
            return false;
        }
    }
    final int asteriskIdx = identity.indexOf('*');
    if (asteriskIdx == -1) {
        return host.equalsIgnoreCase(identity);
    }
    final String prefix = identity.substring(0, asteriskIdx);
    final String suffix = identity.substring(asteriskIdx + 1);
    if (!host.startsWith(prefix) || !host.endsWith(suffix)) {
        return false;
    }
    if (strict) {
        final String remainder = host.substring(prefix.length(), host.length() - suffix.length());
        if (remainder.contains(".")) {
            return false;
        }
    }
    return true;
}
