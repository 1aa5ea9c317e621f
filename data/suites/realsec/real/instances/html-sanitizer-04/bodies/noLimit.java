public void openTag(String elementName, List<String> attrs) {
  String canonElementName = HtmlLexer.canonicalName(elementName);
  int elIndex = METADATA.indexForName(canonElementName);
  if (elIndex == UNRECOGNIZED_TAG) {
    underlying.openTag(elementName, attrs);
    return;
  }
  prepareForContent(elIndex);
  underlying.openTag(METADATA.canonNameForIndex(elIndex), attrs);
  if (!HtmlTextEscapingMode.isVoidElement(canonElementName)) {
    openElements.add(elIndex);
  }
}
