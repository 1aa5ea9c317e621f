private static int checkHtmlCdataCloseable(
    String localName, StringBuilder sb) {
  int open = -1;
  for (int i = 0, n = sb.length(); i < n; ++i) {
    char ch = sb.charAt(i);
    if (ch == '<') {
      boolean end = i + 1 < n && sb.charAt(i + 1) == '/';
      int name = end ? i + 2 : i + 1;
      int after = name + localName.length();
      if ((end || open >= 0)
          && Strings.regionMatchesIgnoreCase(sb, name, localName, 0, localName.length())
          && (after == n || isTagEnd(sb.charAt(after)))) {
        return i;
      }
      if (sb.indexOf("<!--", i) == i) {
        if (open >= 0) { return i; }
        open = i;
        i += 3;
      }
    } else if (ch == '>' && open >= 0 && i - 2 >= open + 4
        && sb.charAt(i - 1) == '-' && sb.charAt(i - 2) == '-') {
      open = -1;
    }
  }
  return open;
}
