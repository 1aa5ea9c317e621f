private void validateClassName(final String name) throws InvalidClassException {
    final boolean rejected = rejectMatchers.stream().anyMatch(matcher -> matcher.matches(name));
    final boolean accepted = acceptMatchers.stream().anyMatch(matcher -> matcher.matches(name));
    if (rejected || !accepted) {
        invalidClassNameFound(name);
    }
}
