public String apply(String elementName, List<String> attrs) {
  if (indexOfAttributeValue("href", attrs) < 0) { return elementName; }
  boolean opens = indexOfAttributeValue("target", attrs) >= 0;
  if (!opens && extra.isEmpty()) { return elementName; }
  Set<String> words = Sets.newLinkedHashSet();
  int at = indexOfAttributeValue("rel", attrs);
  if (at >= 0) {
    for (String word : attrs.get(at).trim().split("\\s+")) {
      if (!word.isEmpty() && !skip.contains(Strings.toLowerCase(word))) { words.add(word); }
    }
  }
  words.addAll(extra);
  if (opens) { words.addAll(whenTargetPresent); }
  if (at >= 0) {
    attrs.set(at, Joiner.on(' ').join(words));
  } else {
    attrs.add("rel");
    attrs.add(Joiner.on(' ').join(words));
  }
  return elementName;
}
