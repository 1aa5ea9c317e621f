static String line(String name, String value) {
    String single = value.replace("\r\n", " ").strip();
    return "%s: %s\r\n".formatted(name, single);
}
