public static String target(String next) {
    String wanted = next == null ? "" : next.replaceAll("\\p{Cntrl}", "");
    return "/" + wanted.replaceFirst("^[/\\\\\\s]+", "");
}
