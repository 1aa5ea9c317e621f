public String getDomainRoot(final String domain, final DomainType expectedType) {
    if (domain == null || domain.startsWith(".")) {
        return null;
    }
    String segment = IDN.toASCII(DnsUtils.normalize(domain), IDN.ALLOW_UNASSIGNED);
    String result = null;
    do {
        if (match(findEntry(exceptions, segment), expectedType)) {
            return segment;
        }
        DomainType rule = findEntry(rules, segment);
        final int dot = segment.indexOf('.');
        final String next = dot < 0 ? null : segment.substring(dot + 1);
        if (!match(rule, expectedType) && next != null) {
            rule = findEntry(rules, "*." + next);
        }
        if (match(rule, expectedType)) {
            return rule == DomainType.PRIVATE ? segment : result;
        }
        result = segment;
        segment = next;
    } while (segment != null);
    return expectedType == null || expectedType == DomainType.UNKNOWN ? result : null;
}
