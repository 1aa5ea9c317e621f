static String line(String name, String value) {
    StringBuilder field = new StringBuilder();
    (name + ": " + value).chars().filter(c -> c >= ' ' && c != 127)
            .forEach(c -> field.append((char) c));
    return field.append('\r').append('\n').toString();
}
