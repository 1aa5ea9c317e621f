static boolean domainMatch(final String domain, final String host) {
    final String suffix = domain.startsWith(".") ? domain.substring(1) : domain;
    if (InetAddressUtils.isIPv4Address(suffix) || InetAddressUtils.isIPv6Address(suffix)) {
        return host.equals(suffix);
    }
    return host.equals(suffix) || host.endsWith("." + suffix);
}
