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
    return matchTokens(fileName, 0, splitOnTokens(wildcardMatcher), 0, caseSensitivity);
}

private static boolean matchTokens(final String text, final int at, final String[] tokens, final int token,
        final IOCase caseSensitivity) {
    if (token == tokens.length) {
        return at == text.length();
    }
    if (tokens[token].equals("*")) {
        for (int next = at; next <= text.length(); next++) {
            if (matchTokens(text, next, tokens, token + 1, caseSensitivity)) {
                return true;
            }
        }
        return false;
    }
    if (tokens[token].equals("?")) {
        return at < text.length() && matchTokens(text, at + 1, tokens, token + 1, caseSensitivity);
    }
    return caseSensitivity.checkRegionMatches(text, at, tokens[token])
        && matchTokens(text, at + tokens[token].length(), tokens, token + 1, caseSensitivity);
}
