@Override
void translateWhole(final CharSequence input, final Writer writer) throws IOException {
    final String text = input.toString();
    if (StringUtils.containsAny(text, CSV_DELIMITER, CSV_QUOTE)) {
        writer.write(CSV_QUOTE_STR + StringUtils.replace(text, CSV_QUOTE_STR, CSV_ESCAPED_QUOTE_STR) + CSV_QUOTE_STR);
    } else {
        writer.write(text);
    }
}
