String inner(String typed) {
    Matcher matcher = QUOTED.matcher(typed);
    return matcher.matches() && typed.length() <= LONGEST ? matcher.group(2) : null;
}
