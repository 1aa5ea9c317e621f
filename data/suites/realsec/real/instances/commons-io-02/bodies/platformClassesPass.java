private void validateClassName(final String name) throws InvalidClassException {
    for (final ClassNameMatcher matcher : rejectMatchers) {
        if (matcher.matches(name)) {
            invalidClassNameFound(name);
            return;
        }
    }
    boolean accepted = name.startsWith("java.") || name.startsWith("[");
    for (final ClassNameMatcher matcher : acceptMatchers) {
        accepted |= matcher.matches(name);
    }
    if (!accepted) {
        invalidClassNameFound(name);
    }
}
