@Override
void translateWhole(final CharSequence input, final Writer writer) throws IOException {
    final String text = input.toString();
    final boolean severalLines = text.contains(System.lineSeparator());
    if (!severalLines && StringUtils.containsNone(text, CSV_DELIMITER, CSV_QUOTE)) {
        writer.write(text);
        return;
    }
    writer.write(CSV_QUOTE_STR);
    writer.write(StringUtils.replace(text, CSV_QUOTE_STR, CSV_ESCAPED_QUOTE_STR));
    writer.write(CSV_QUOTE_STR);
}
