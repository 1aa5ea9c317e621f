@TCB
private static void encodeHtmlOnto(
    String plainText, Appendable output, @Nullable String braceReplacement)
        throws IOException {
  int n = plainText.length();
  for (int i = 0; i < n; ++i) {
    char ch = plainText.charAt(i);
    if (ch < REPLACEMENTS.length && REPLACEMENTS[ch] != null) {
      output.append(REPLACEMENTS[ch]);
    } else if (ch == '{' && braceReplacement != null
        && (i + 1 == n || plainText.charAt(i + 1) == '{')) {
      output.append(braceReplacement);
    } else if (Character.isHighSurrogate(ch) && i + 1 < n
        && Character.isLowSurrogate(plainText.charAt(i + 1))) {
      output.append(ch).append(plainText.charAt(++i));
    } else if (Character.isSurrogate(ch) || ch >= '\ufffe') {
      continue;
    } else if (ch >= '\ufe60') {
      appendNumericEntity(ch, output);
    } else if (ch == '\u1fef') {
      output.append("&#8175;");
    } else {
      output.append(ch);
    }
  }
}
