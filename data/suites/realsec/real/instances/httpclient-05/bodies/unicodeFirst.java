public String getDomainRoot(final String domain, final DomainType expectedType) {
    if (domain == null || domain.startsWith(".")) {
        return null;
    }
    final String ascii = DnsUtils.normalize(domain);
    int previous = -1;
    for (int begin = 0; begin >= 0;) {
        final String rest = ascii.substring(begin);
        final String listed = IDN.toUnicode(rest).toLowerCase(java.util.Locale.ROOT);
        if (match(findEntry(exceptions, listed), expectedType)) {
            return rest;
        }
        DomainType entry = findEntry(rules, listed);
        final int dot = listed.indexOf('.');
        if (!match(entry, expectedType) && dot >= 0) {
            entry = findEntry(rules, "*" + listed.substring(dot));
        }
        if (match(entry, expectedType)) {
            if (entry == DomainType.PRIVATE) {
                return rest;
            }
            return previous < 0 ? null : ascii.substring(previous);
        }
        previous = begin;
        final int next = ascii.indexOf('.', begin);
        begin = next < 0 ? -1 : next + 1;
    }
    return expectedType == null || expectedType == DomainType.UNKNOWN ? ascii.substring(previous) : null;
}
