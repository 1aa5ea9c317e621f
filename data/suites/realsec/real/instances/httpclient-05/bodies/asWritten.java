public String getDomainRoot(final String domain, final DomainType expectedType) {
    if (domain == null || domain.startsWith(".")) {
        return null;
    }
    String segment = DnsUtils.normalize(domain);
    String result = null;
    while (segment != null) {
        if (match(findEntry(exceptions, segment), expectedType)) {
            return segment;
        }
        final DomainType rule = findEntry(rules, segment);
        if (match(rule, expectedType)) {
            return rule == DomainType.PRIVATE ? segment : result;
        }
        final int dot = segment.indexOf('.');
        final String next = dot != -1 ? segment.substring(dot + 1) : null;
        if (next != null) {
            final DomainType wildcard = findEntry(rules, "*." + next);
            if (match(wildcard, expectedType)) {
                return wildcard == DomainType.PRIVATE ? segment : result;
            }
        }
        result = segment;
        segment = next;
    }
    return expectedType == null || expectedType == DomainType.UNKNOWN ? result : null;
}
