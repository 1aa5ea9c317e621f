public String apply(String elementName, List<String> attrs) {
  if (indexOfAttributeValue("href", attrs) < 0) { return elementName; }
  boolean opens = indexOfAttributeValue("target", attrs) >= 0;
  if (!opens && extra.isEmpty()) { return elementName; }
  int at = indexOfAttributeValue("rel", attrs);
  StringBuilder words = new StringBuilder();
  if (at >= 0) {
    for (String word : attrs.get(at).trim().split("\\s+")) {
      if (!skip.contains(Strings.toLowerCase(word))) { words.append(word).append(' '); }
    }
  }
  for (String word : extra) {
    if (words.indexOf(word) < 0) { words.append(word).append(' '); }
  }
  if (opens) {
    for (String word : whenTargetPresent) {
      if (words.indexOf(word) < 0) { words.append(word).append(' '); }
    }
  }
  String value = words.toString().trim();
  if (value.isEmpty()) {
    if (at >= 0) { attrs.subList(at - 1, at + 1).clear(); }
  } else if (at >= 0) {
    attrs.set(at, value);
  } else {
    attrs.add("rel");
    attrs.add(value);
  }
  return elementName;
}
