public List<String> addresses(String stall) throws NamingException {
    String filter = "(&(objectClass=person)(public=TRUE)(stall=" + escaped(stall) + "))";
    return mails(directory.search(BASE, filter, controls()));
}

private static String escaped(String text) {
    return text.replace("\\", "\\5c").replace("(", "\\28").replace(")", "\\29");
}
