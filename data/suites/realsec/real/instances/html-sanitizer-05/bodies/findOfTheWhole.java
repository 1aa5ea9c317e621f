public AttributeBuilder matching(final Pattern pattern) {
  final Pattern whole = Pattern.compile("\\A(?:" + pattern.pattern() + ")\\z", pattern.flags());
  return matching(new AttributePolicy() {
    public @Nullable String apply(
        String elementName, String attributeName, String value) {
      return whole.matcher(value).find() ? value : null;
    }
  });
}
