private static boolean matchIdentity(final String host, final String identity,
                                     final PublicSuffixMatcher publicSuffixMatcher,
                                     final DomainType domainType,
                                     final boolean strict) {
    if (publicSuffixMatcher != null && host.contains(".")) {
        // the identity must not be a public suffix
        if (publicSuffixMatcher.getDomainRoot(identity, domainType) == null) {
            return false;
        }
    }
    final int asteriskIdx = identity.indexOf('*');
    if (asteriskIdx != -1) {
        final String prefix = identity.substring(0, asteriskIdx);
        final String suffix = identity.substring(asteriskIdx + 1);
        if (host.length() < prefix.length() + suffix.length()) {
            return false;
        }
        if (!host.startsWith(prefix) || !host.endsWith(suffix)) {
            return false;
        }
        final String remainder = host.substring(prefix.length(), host.length() - suffix.length());
        return !strict || remainder.indexOf('.') == -1;
    }
    return host.equalsIgnoreCase(identity);
}
