public AttributeBuilder matching(final Pattern pattern) {
  return matching(new Predicate<String>() {
    @Override
    public boolean apply(String value) {
      return pattern.matcher(value).matches();
    }
  });
}
