public String apply(String elementName, List<String> attrs) {
  if (indexOfAttributeValue("href", attrs) < 0) { return elementName; }
  int target = indexOfAttributeValue("target", attrs);
  boolean opens = target >= 0 && "_blank".equalsIgnoreCase(attrs.get(target));
  int at = indexOfAttributeValue("rel", attrs);
  if (!opens && extra.isEmpty()) { return elementName; }
  Set<String> words = Sets.newLinkedHashSet();
  if (at >= 0) {
    for (String word : attrs.get(at).trim().split("\\s+")) {
      if (!word.isEmpty() && !skip.contains(Strings.toLowerCase(word))) { words.add(word); }
    }
  }
  words.addAll(extra);
  if (opens) { words.addAll(whenTargetPresent); }
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
