public List<String> named(String login) throws NamingException {
    StringBuilder filter = new StringBuilder("(&(objectClass=person)(uid=");
    for (int i = 0; i < login.length(); i++) {
        char c = login.charAt(i);
        switch (c) {
            case '*' -> filter.append("\\2a");
            case '(' -> filter.append("\\28");
            case ')' -> filter.append("\\29");
            case '\\' -> filter.append("\\5c");
            case '\0' -> filter.append("\\00");
            default -> filter.append(c);
        }
    }
    return names(context.search(BASE, filter.append("))").toString(), controls()));
}
