private void string(String value) throws IOException {
  String[] replacements = htmlSafe ? HTML_SAFE_REPLACEMENT_CHARS : REPLACEMENT_CHARS;
  out.write('"');
  for (int i = 0; i < value.length(); i++) {
    char c = value.charAt(i);
    if (c < 128) {
      String replacement = replacements[c];
      if (replacement == null) {
        out.write(c);
      } else {
        out.write(replacement);
      }
    } else if (Character.isISOControl(c)) {
      out.write(String.format("\\u%04x", (int) c));
    } else {
      out.write(c);
    }
  }
  out.write('"');
}
