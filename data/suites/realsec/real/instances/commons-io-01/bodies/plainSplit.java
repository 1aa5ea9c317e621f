private static boolean isRFC3986HostName(final String name) {
    for (final String part : name.split("\\.")) {
        if (!REG_NAME_PART_PATTERN.matcher(part).matches()) {
            return false;
        }
    }
    return true;
}
