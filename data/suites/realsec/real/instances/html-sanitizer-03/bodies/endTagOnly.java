private static int checkHtmlCdataCloseable(
    String localName, StringBuilder sb) {
  int nameLength = localName.length();
  for (int i = sb.indexOf("</"); i >= 0; i = sb.indexOf("</", i + 2)) {
    int end = i + 2 + nameLength;
    if (Strings.regionMatchesIgnoreCase(sb, i + 2, localName, 0, nameLength)
        && (end == sb.length() || isTagEnd(sb.charAt(end)))) {
      return i;
    }
  }
  return -1;
}
