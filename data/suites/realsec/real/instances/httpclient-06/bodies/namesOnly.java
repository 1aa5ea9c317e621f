static boolean domainMatch(final String domain, final String host) {
    final String suffix = domain.startsWith(".") ? domain.substring(1) : domain;
    return host.equals(suffix) || host.endsWith("." + suffix);
}
