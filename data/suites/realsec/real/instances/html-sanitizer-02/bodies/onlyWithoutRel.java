public String apply(String elementName, List<String> attrs) {
  if (indexOfAttributeValue("href", attrs) < 0) { return elementName; }
  boolean opens = indexOfAttributeValue("target", attrs) >= 0;
  if (!opens && extra.isEmpty()) { return elementName; }
  int at = indexOfAttributeValue("rel", attrs);
  List<String> words = new java.util.ArrayList<String>();
  if (at >= 0) {
    for (String word : attrs.get(at).trim().split("\\s+")) {
      if (!word.isEmpty() && !skip.contains(Strings.toLowerCase(word))) { words.add(word); }
    }
  } else if (opens) {
    words.addAll(whenTargetPresent);
  }
  words.addAll(extra);
  if (words.isEmpty()) {
    if (at >= 0) { attrs.subList(at - 1, at + 1).clear(); }
  } else if (at >= 0) {
    attrs.set(at, Joiner.on(' ').join(words));
  } else {
    attrs.add("rel");
    attrs.add(Joiner.on(' ').join(words));
  }
  return elementName;
}
