public static boolean wildcardMatch(final String fileName, final String wildcardMatcher, IOCase caseSensitivity) {
    if (fileName == null && wildcardMatcher == null) {
        return true;
    }
    if (fileName == null || wildcardMatcher == null) {
        return false;
    }
    if (caseSensitivity == null) {
        caseSensitivity = IOCase.SENSITIVE;
    }
    final StringBuilder regex = new StringBuilder();
    for (final String token : splitOnTokens(wildcardMatcher)) {
        if (token.equals("*")) {
            regex.append(".*");
        } else if (token.equals("?")) {
            regex.append('.');
        } else {
            regex.append(Pattern.quote(token));
        }
    }
    final int flags = caseSensitivity.isCaseSensitive() ? Pattern.DOTALL
        : Pattern.DOTALL | Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
    return Pattern.compile(regex.toString(), flags).matcher(fileName).matches();
}
