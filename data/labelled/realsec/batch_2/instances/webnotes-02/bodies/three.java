public static String target(String next) {
    if (next == null || !next.startsWith("/") || next.contains("://")) {
        return HOME;
    }
    return next;
}
