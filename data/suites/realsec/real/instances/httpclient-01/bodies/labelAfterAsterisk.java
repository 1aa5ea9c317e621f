private static boolean matchIdentity(final String host, final String identity,
                                     final PublicSuffixMatcher publicSuffixMatcher,
                                     final DomainType domainType,
                                     final boolean strict) {
    final int star = identity.indexOf('*');
    if (publicSuffixMatcher != null && host.indexOf('.') >= 0) {
        if (publicSuffixMatcher.getDomainRoot(identity, domainType) == null) {
            return false;
        }
        final int dot = star < 0 ? -1 : identity.indexOf('.', star);
        if (dot >= 0) {
            // what follows the asterisk's label must be registrable (or a domain of its owner)
            final String parent = identity.substring(dot + 1);
            if (parent.isEmpty() || publicSuffixMatcher.matches(parent, domainType)) {
                return false;
            }
        }
    }
    if (star < 0) {
        return host.equalsIgnoreCase(identity);
    }
    final String head = identity.substring(0, star);
    final String tail = identity.substring(star + 1);
    if (host.length() < head.length() + tail.length() || !host.startsWith(head) || !host.endsWith(tail)) {
        return false;
    }
    return !strict || host.substring(head.length(), host.length() - tail.length()).indexOf('.') < 0;
}
