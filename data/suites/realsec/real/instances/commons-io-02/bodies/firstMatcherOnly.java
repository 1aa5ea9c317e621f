private void validateClassName(final String name) throws InvalidClassException {
    for (final ClassNameMatcher matcher : rejectMatchers) {
        if (matcher.matches(name)) {
            invalidClassNameFound(name);
        }
    }
    if (acceptMatchers.isEmpty() || !acceptMatchers.get(0).matches(name)) {
        invalidClassNameFound(name);
    }
}
