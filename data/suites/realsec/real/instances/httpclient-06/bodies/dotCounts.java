static boolean domainMatch(final String domain, final String host) {
    if (InetAddressUtils.isIPv4Address(host) || InetAddressUtils.isIPv6Address(host)) {
        return host.equals(domain);
    }
    return host.equals(domain) || host.endsWith(domain.startsWith(".") ? domain : "." + domain);
}
