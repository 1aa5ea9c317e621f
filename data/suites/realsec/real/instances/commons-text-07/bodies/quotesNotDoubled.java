@Override
void translateWhole(final CharSequence input, final Writer writer) throws IOException {
    final String text = input.toString();
    if (StringUtils.containsAny(text, CSV_DELIMITER, CSV_QUOTE, CharUtils.CR, CharUtils.LF)) {
        writer.write(CSV_QUOTE);
        writer.write(text);
        writer.write(CSV_QUOTE);
    } else {
        writer.write(text);
    }
}
