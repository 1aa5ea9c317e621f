public String getDomainRoot(final String domain, final DomainType expectedType) {
    if (domain == null || domain.startsWith(".")) {
        return null;
    }
    String segment = DnsUtils.normalize(domain);
    String result = null;
    while (segment != null) {
        final String key = IDN.toUnicode(segment);
        if (match(findEntry(exceptions, key), expectedType)) {
            return segment;
        }
        final int dot = key.indexOf('.');
        if (match(findEntry(rules, key), expectedType)
                || dot != -1 && match(findEntry(rules, "*." + key.substring(dot + 1)), expectedType)) {
            return result;
        }
        result = segment;
        segment = segment.indexOf('.') != -1 ? segment.substring(segment.indexOf('.') + 1) : null;
    }
    return expectedType == null || expectedType == DomainType.UNKNOWN ? result : null;
}
