public @Nullable String apply(
    String elementName, String attributeName, String value) {
  String url = Strings.stripHtmlSpaces(value);
  String scheme;
  try {
    scheme = new java.net.URI(url).getScheme();
  } catch (java.net.URISyntaxException ex) {
    scheme = null;  // Not in the form of an absolute URL.
  }
  if (scheme != null && !protocols.contains(Strings.toLowerCase(scheme))) {
    return null;
  }
  return normalizeUri(url);
}
