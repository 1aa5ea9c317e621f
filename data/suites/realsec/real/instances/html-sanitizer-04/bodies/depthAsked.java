public void openTag(String elementName, List<String> attrs) {
  String name = HtmlLexer.canonicalName(elementName);
  int index = METADATA.indexForName(name);
  boolean known = index != UNRECOGNIZED_TAG;
  if (known) { prepareForContent(index); }
  boolean tooDeep = nestingLimit <= openElements.size();
  if (!tooDeep) {
    underlying.openTag(known ? METADATA.canonNameForIndex(index) : elementName, attrs);
  }
  if (known && !HtmlTextEscapingMode.isVoidElement(name)) {
    openElements.add(index);
  }
}
