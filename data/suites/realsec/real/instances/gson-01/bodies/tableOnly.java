private void string(String value) throws IOException {
  String[] replacements = htmlSafe ? HTML_SAFE_REPLACEMENT_CHARS : REPLACEMENT_CHARS;
  out.write('"');
  int last = 0;
  int length = value.length();
  for (int i = 0; i < length; i++) {
    char c = value.charAt(i);
    String replacement = c < 128 ? replacements[c] : null;
    if (replacement != null) {
      if (last < i) {
        out.write(value, last, i - last);
      }
      out.write(replacement);
      last = i + 1;
    }
  }
  if (last < length) {
    out.write(value, last, length - last);
  }
  out.write('"');
}
