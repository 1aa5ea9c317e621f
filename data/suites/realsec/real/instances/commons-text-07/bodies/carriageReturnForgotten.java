@Override
void translateWhole(final CharSequence input, final Writer writer) throws IOException {
    final String text = input.toString();
    if (text.indexOf(CSV_DELIMITER) < 0 && text.indexOf(CSV_QUOTE) < 0 && text.indexOf('\n') < 0) {
        writer.write(text);
        return;
    }
    writer.write(CSV_QUOTE);
    writer.write(text.replace(CSV_QUOTE_STR, CSV_ESCAPED_QUOTE_STR));
    writer.write(CSV_QUOTE);
}
