public AttributeBuilder matching(final Pattern pattern) {
  return matching(new AttributePolicy() {
    public @Nullable String apply(
        String elementName, String attributeName, String value) {
      return value != null && pattern.matcher(value).find() ? value : null;
    }
  });
}
