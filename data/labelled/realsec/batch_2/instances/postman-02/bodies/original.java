static String line(String name, String value) {
    return name + ": " + value + "\r\n";
}
