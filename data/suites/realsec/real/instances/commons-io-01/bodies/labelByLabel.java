private static boolean isRFC3986HostName(final String name) {
    boolean labelBegins = true;
    for (int i = 0; i < name.length(); i++) {
        final char c = name.charAt(i);
        final boolean alphanumeric = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
        if (c == '.') {
            if (labelBegins) {
                return false;
            }
            labelBegins = true;
        } else {
            if (!alphanumeric && (c != '-' || labelBegins)) {
                return false;
            }
            labelBegins = false;
        }
    }
    return !name.isEmpty();
}
