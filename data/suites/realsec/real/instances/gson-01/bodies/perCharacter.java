private void string(String value) throws IOException {
  String[] replacements = htmlSafe ? HTML_SAFE_REPLACEMENT_CHARS : REPLACEMENT_CHARS;
  out.write('"');
  for (int i = 0; i < value.length(); i++) {
    char c = value.charAt(i);
    if (c < replacements.length) {
      if (replacements[c] != null) {
        out.write(replacements[c]);
      } else {
        out.write(c);
      }
    } else if (Character.getType(c) == Character.LINE_SEPARATOR
        || Character.getType(c) == Character.PARAGRAPH_SEPARATOR) {
      out.write(String.format("\\u%04x", (int) c));
    } else {
      out.write(c);
    }
  }
  out.write('"');
}
