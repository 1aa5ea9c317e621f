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
    int at = 0;
    boolean star = false;
    for (final String token : splitOnTokens(wildcardMatcher)) {
        if (token.equals("*")) {
            star = true;
        } else if (token.equals("?")) {
            if (++at > fileName.length()) {
                return false;
            }
            star = false;
        } else {
            final int found = star ? caseSensitivity.checkIndexOf(fileName, at, token)
                : caseSensitivity.checkRegionMatches(fileName, at, token) ? at : NOT_FOUND;
            if (found == NOT_FOUND) {
                return false;
            }
            at = found + token.length();
            star = false;
        }
    }
    return star || at == fileName.length();
}
