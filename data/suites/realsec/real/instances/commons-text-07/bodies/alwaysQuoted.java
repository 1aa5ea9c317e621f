@Override
void translateWhole(final CharSequence input, final Writer writer) throws IOException {
    writer.write(CSV_QUOTE);
    writer.write(StringUtils.replace(input.toString(), CSV_QUOTE_STR, CSV_ESCAPED_QUOTE_STR));
    writer.write(CSV_QUOTE);
}
