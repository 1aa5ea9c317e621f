private void string(String value) throws IOException {
  String[] replacements = htmlSafe ? HTML_SAFE_REPLACEMENT_CHARS : REPLACEMENT_CHARS;
  out.write('"');
  for (int i = 0; i < value.length(); i++) {
    char c = value.charAt(i);
    if (c < 128 && replacements[c] != null) {
      out.write(replacements[c]);
    } else if (htmlSafe && (c == '\u2028' || c == '\u2029')) {
      out.write(c == '\u2028' ? "\\u2028" : "\\u2029");
    } else {
      out.write(c);
    }
  }
  out.write('"');
}
