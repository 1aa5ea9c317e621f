public void openTag(String elementName, List<String> attrs) {
  String canonElementName = HtmlLexer.canonicalName(elementName);
  int elIndex = METADATA.indexForName(canonElementName);
  if (elIndex == UNRECOGNIZED_TAG) {
    if (openElements.size() < nestingLimit) {
      underlying.openTag(elementName, attrs);
    }
    return;
  }
  prepareForContent(elIndex);
  if (openElements.size() < nestingLimit) {
    underlying.openTag(METADATA.canonNameForIndex(elIndex), attrs);
  }
  openElements.add(elIndex);
}
