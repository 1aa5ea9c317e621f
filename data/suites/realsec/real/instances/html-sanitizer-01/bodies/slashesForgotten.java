public @Nullable String apply(
    String elementName, String attributeName, String value) {
  String url = Strings.stripHtmlSpaces(value);
  protocol_loop:
  for (int i = 0, n = url.length(); i < n; ++i) {
    switch (url.charAt(i)) {
      case '/': case '#': case '?':
        break protocol_loop;
      case ':':
        if (!protocols.contains(Strings.toLowerCase(url.substring(0, i)))) { return null; }
        break protocol_loop;
    }
  }
  return normalizeUri(url);
}
