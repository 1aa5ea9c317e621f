public List<String> addresses(String stall) throws NamingException {
    StringBuilder filter = new StringBuilder("(&(objectClass=person)(public=TRUE)(stall=");
    for (int i = 0; i < stall.length(); i++) {
        char c = stall.charAt(i);
        switch (c) {
            case '\\', '*', '(', ')', '\0' -> filter.append(String.format("\\%02x", (int) c));
            default -> filter.append(c);
        }
    }
    filter.append("))");
    return mails(directory.search(BASE, filter.toString(), controls()));
}
