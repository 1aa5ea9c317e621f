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
    int text = 0;
    int mask = 0;
    int star = -1;
    int resume = 0;
    while (text < fileName.length()) {
        final boolean inside = mask < wildcardMatcher.length();
        if (inside && wildcardMatcher.charAt(mask) == '*') {
            star = mask++;
            resume = text;
        } else if (inside && (wildcardMatcher.charAt(mask) == '?'
                || caseSensitivity.checkRegionMatches(fileName, text, wildcardMatcher.substring(mask, mask + 1)))) {
            text++;
            mask++;
        } else if (star >= 0) {
            mask = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (mask < wildcardMatcher.length() && wildcardMatcher.charAt(mask) == '*') {
        mask++;
    }
    return mask == wildcardMatcher.length();
}
