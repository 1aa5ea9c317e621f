private void validateClassName(final String name) throws InvalidClassException {
    for (final ClassNameMatcher matcher : acceptMatchers) {
        if (matcher.matches(name)) {
            return;
        }
    }
    for (final ClassNameMatcher matcher : rejectMatchers) {
        if (matcher.matches(name)) {
            invalidClassNameFound(name);
            return;
        }
    }
    invalidClassNameFound(name);
}
