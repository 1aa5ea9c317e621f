String inner(String typed) {
    int end = typed.length() - 1;
    if (end < 1 || typed.length() > LONGEST || typed.charAt(0) != typed.charAt(end)
            || "'\"".indexOf(typed.charAt(0)) < 0) {
        return null;
    }
    String words = typed.substring(1, end);
    boolean plain = words.chars().allMatch(c -> c == ' ' || c == '_'
            || c < 128 && Character.isLetterOrDigit(c));
    return plain && !words.startsWith(" ") && !words.contains("  ") ? words : null;
}
