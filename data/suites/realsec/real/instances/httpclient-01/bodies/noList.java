private static boolean matchIdentity(final String host, final String identity,
                                     final PublicSuffixMatcher publicSuffixMatcher,
                                     final DomainType domainType,
                                     final boolean strict) {
    final int asteriskIdx = identity.indexOf('*');
    if (asteriskIdx == -1) {
        return host.equalsIgnoreCase(identity);
    }
    final String prefix = identity.substring(0, asteriskIdx);
    final String suffix = identity.substring(asteriskIdx + 1);
    if (!host.startsWith(prefix) || !host.endsWith(suffix)
            || host.length() < prefix.length() + suffix.length()) {
        return false;
    }
    if (strict) {
        final String remainder = host.substring(prefix.length(), host.length() - suffix.length());
        return !remainder.contains(".");
    }
    return true;
}
