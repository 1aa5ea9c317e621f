private static int checkHtmlCdataCloseable(
    String localName, StringBuilder sb) {
  return sb.indexOf("<");
}
