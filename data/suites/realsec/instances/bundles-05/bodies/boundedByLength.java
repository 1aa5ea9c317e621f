static int parse(String text) throws IOException {
    int unit = text.endsWith("k") ? 1 << 10 : text.endsWith("m") ? 1 << 20 : 1;
    String digits = unit == 1 ? text : text.substring(0, text.length() - 1);
    if (!digits.matches("\\d{1,3}") && !(unit == 1 && digits.matches("\\d{1,9}"))) {
        throw new IOException("not a size: " + text);
    }
    return Integer.parseInt(digits) * unit;
}
