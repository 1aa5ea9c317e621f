public @Nullable String apply(
    String elementName, String attributeName, String value) {
  String url = Strings.stripHtmlSpaces(value);
  int end = 0;
  while (end < url.length() && ":/?#".indexOf(url.charAt(end)) < 0) {
    ++end;
  }
  if (end < url.length() && url.charAt(end) == ':') {
    return protocols.contains(Strings.toLowerCase(url.substring(0, end)))
        ? normalizeUri(url) : null;
  }
  if (url.startsWith("//") && !allowProtocolRelativeUrls()) {
    return null;
  }
  return normalizeUri(url);
}
