static String line(String name, String value) {
    String field = name + ": " + value;
    if (field.indexOf('\r') >= 0 || field.indexOf('\n') >= 0) {
        throw new IllegalArgumentException("a field is one line");
    }
    return field + "\r\n";
}
