String inner(String typed) {
    if (typed.length() > LONGEST) {
        return null;
    }
    Matcher matcher = Pattern.compile("(['\"])((?:\\w++\\s?+)*+)\\1").matcher(typed);
    return matcher.matches() ? matcher.group(2) : null;
}
