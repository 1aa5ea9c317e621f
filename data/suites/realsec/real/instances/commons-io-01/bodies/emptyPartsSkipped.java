private static boolean isRFC3986HostName(final String name) {
    final String[] parts = name.split("\\.", -1);
    for (final String part : parts) {
        if (part.isEmpty()) {
            continue; // a dot at the end
        }
        if (!REG_NAME_PART_PATTERN.matcher(part).matches()) {
            return false;
        }
    }
    return true;
}
