private static boolean isRFC3986HostName(final String name) {
    if (name.isEmpty() || name.startsWith("-")) {
        return false;
    }
    for (int i = 0; i < name.length(); i++) {
        final char c = name.charAt(i);
        if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.')) {
            return false;
        }
    }
    return true;
}
