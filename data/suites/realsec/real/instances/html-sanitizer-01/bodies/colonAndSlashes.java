public @Nullable String apply(
    String elementName, String attributeName, String value) {
  String url = Strings.stripHtmlSpaces(value);
  int end = url.indexOf("://");
  if (end >= 0) {
    String protocol = Strings.toLowerCase(url.substring(0, end));
    if (!protocols.contains(protocol)) { return null; }
  } else if (url.startsWith("mailto:") && !protocols.contains("mailto")) {
    return null;
  }
  return normalizeUri(url);
}
