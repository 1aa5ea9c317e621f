static int parse(String text) throws IOException {
    try {
        int unit = text.endsWith("k") ? 1 << 10 : text.endsWith("m") ? 1 << 20 : 1;
        int number = Integer.parseInt(unit == 1 ? text : text.substring(0, text.length() - 1));
        return number * unit;
    } catch (NumberFormatException wrong) {
        throw new IOException("not a size: " + text, wrong);
    }
}
