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
    final String[] tokens = splitOnTokens(wildcardMatcher);
    return matchTokens(fileName, 0, tokens, 0, caseSensitivity, new boolean[fileName.length() + 1][tokens.length + 1]);
}

private static boolean matchTokens(final String text, final int at, final String[] tokens, final int token,
        final IOCase caseSensitivity, final boolean[][] failed) {
    if (token == tokens.length) {
        return at == text.length();
    }
    if (failed[at][token]) {
        return false;
    }
    boolean matched = false;
    if (tokens[token].equals("*")) {
        for (int next = at; next <= text.length() && !matched; next++) {
            matched = matchTokens(text, next, tokens, token + 1, caseSensitivity, failed);
        }
    } else if (tokens[token].equals("?")) {
        matched = at < text.length() && matchTokens(text, at + 1, tokens, token + 1, caseSensitivity, failed);
    } else if (caseSensitivity.checkRegionMatches(text, at, tokens[token])) {
        matched = matchTokens(text, at + tokens[token].length(), tokens, token + 1, caseSensitivity, failed);
    }
    failed[at][token] = !matched;
    return matched;
}
