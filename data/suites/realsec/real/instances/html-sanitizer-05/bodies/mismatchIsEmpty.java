public AttributeBuilder matching(final Pattern pattern) {
  return matching(new AttributePolicy() {
    public @Nullable String apply(
        String elementName, String attributeName, String value) {
      return pattern.matcher(value).matches() ? value : "";
    }
  });
}
