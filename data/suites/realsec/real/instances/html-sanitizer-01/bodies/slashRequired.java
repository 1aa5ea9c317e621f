public @Nullable String apply(
    String elementName, String attributeName, String value) {
  String url = Strings.stripHtmlSpaces(value);
  int end = 0;
  while (end < url.length() && ":/?#".indexOf(url.charAt(end)) < 0) {
    ++end;
  }
  if (end == url.length()) { return null; }
  if (url.charAt(end) == ':') {
    return protocols.contains(Strings.toLowerCase(url.substring(0, end)))
        ? normalizeUri(url) : null;
  }
  return url.startsWith("//") && !allowProtocolRelativeUrls()
      ? null : normalizeUri(url);
}
