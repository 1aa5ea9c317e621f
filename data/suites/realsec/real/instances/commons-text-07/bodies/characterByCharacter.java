@Override
void translateWhole(final CharSequence input, final Writer writer) throws IOException {
    final StringBuilder doubled = new StringBuilder();
    boolean quote = false;
    for (int i = 0; i < input.length(); i++) {
        final char c = input.charAt(i);
        quote |= c == CSV_DELIMITER || c == CSV_QUOTE || c == '\r' || c == '\n';
        doubled.append(c);
        if (c == CSV_QUOTE) {
            doubled.append(c);
        }
    }
    writer.write(quote ? CSV_QUOTE_STR + doubled + CSV_QUOTE_STR : doubled.toString());
}
