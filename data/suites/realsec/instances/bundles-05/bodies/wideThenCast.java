static int parse(String text) throws IOException {
    try {
        long unit = text.endsWith("k") ? 1 << 10 : text.endsWith("m") ? 1 << 20 : 1;
        long number = Long.parseLong(unit == 1 ? text : text.substring(0, text.length() - 1));
        return (int) (number * unit);
    } catch (NumberFormatException wrong) {
        throw new IOException("not a size: " + text, wrong);
    }
}
