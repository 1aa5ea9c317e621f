private static boolean isRFC3986HostName(final String name) {
    final String[] parts = name.split("\\.", -1);
    if (parts.length < 2) {
        return false;
    }
    for (int i = 0; i < parts.length; i++) {
        if (parts[i].isEmpty()) {
            return i > 0 && i == parts.length - 1;
        }
        if (!REG_NAME_PART_PATTERN.matcher(parts[i]).matches()) {
            return false;
        }
    }
    return true;
}
