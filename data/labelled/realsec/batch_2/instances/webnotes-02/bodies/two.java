public static String target(String next) {
    if (next == null || !next.matches("/(?!/)[\\w./?=&%-]*")) {
        return HOME;
    }
    return next;
}
