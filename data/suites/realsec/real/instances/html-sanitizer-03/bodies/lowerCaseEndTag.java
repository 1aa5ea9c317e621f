private static int checkHtmlCdataCloseable(
    String localName, StringBuilder sb) {
  int at = sb.indexOf("</" + localName);
  while (at >= 0) {
    int end = at + 2 + localName.length();
    if (end >= sb.length() || isTagEnd(sb.charAt(end))) {
      return at;
    }
    at = sb.indexOf("</" + localName, at + 1);
  }
  return -1;
}
