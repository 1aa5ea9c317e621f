String inner(String typed) {
    if (typed.length() > LONGEST || typed.length() < 2) {
        return null;
    }
    Matcher matcher = QUOTED.matcher(typed);
    return matcher.matches() ? matcher.group(2) : null;
}
