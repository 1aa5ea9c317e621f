public String apply(String elementName, List<String> attrs) {
  boolean opens = indexOfAttributeValue("target", attrs) >= 0;
  if (indexOfAttributeValue("href", attrs) < 0 || !(opens || !extra.isEmpty())) {
    return elementName;
  }
  Set<String> words = Sets.newLinkedHashSet();
  int at = indexOfAttributeValue("rel", attrs);
  if (at >= 0) {
    for (String word : attrs.get(at).split("[ \\t\\n\\f\\r]+")) {
      if (!word.isEmpty() && !skip.contains(Strings.toLowerCase(word))) { words.add(word); }
    }
  }
  words.addAll(extra);
  if (opens) { words.addAll(whenTargetPresent); }
  String value = Joiner.on(' ').join(words);
  if (at >= 0) {
    attrs.remove(at);
    attrs.remove(at - 1);
    if (!words.isEmpty()) {
      attrs.add(at - 1, "rel");
      attrs.add(at, value);
    }
  } else if (!words.isEmpty()) {
    attrs.add("rel");
    attrs.add(value);
  }
  return elementName;
}
