private static int checkHtmlCdataCloseable(
    String localName, StringBuilder sb) {
  int opened = 0, closed = 0, lastOpened = -1;
  for (int i = 0, n = sb.length(); i < n; ++i) {
    if (sb.indexOf("<!--", i) == i) {
      ++opened;
      lastOpened = i;
    } else if (sb.indexOf("-->", i) == i) {
      ++closed;
    } else if (sb.indexOf("</", i) == i) {
      int end = i + 2 + localName.length();
      if (Strings.regionMatchesIgnoreCase(sb, i + 2, localName, 0, localName.length())
          && (end == n || isTagEnd(sb.charAt(end)))) {
        return i;
      }
    }
  }
  return opened > closed ? lastOpened : -1;
}
