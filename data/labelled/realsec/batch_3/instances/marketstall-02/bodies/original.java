public List<String> addresses(String stall) throws NamingException {
    String filter = "(&(objectClass=person)(public=TRUE)(stall=" + stall + "))";
    return mails(directory.search(BASE, filter, controls()));
}
