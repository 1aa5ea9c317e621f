private void string(String value) throws IOException {
  String[] replacements = htmlSafe ? HTML_SAFE_REPLACEMENT_CHARS : REPLACEMENT_CHARS;
  out.write('"');
  for (int i = 0; i < value.length(); i++) {
    char c = value.charAt(i);
    if (c >= 128) {
      out.write(String.format("\\u%04x", (int) c));
    } else if (replacements[c] != null) {
      out.write(replacements[c]);
    } else {
      out.write(c);
    }
  }
  out.write('"');
}
