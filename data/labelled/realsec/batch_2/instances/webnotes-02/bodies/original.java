public static String target(String next) {
    return next == null || next.isEmpty() ? HOME : next;
}
