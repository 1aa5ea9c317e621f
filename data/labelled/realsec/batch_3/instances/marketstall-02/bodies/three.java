public List<String> addresses(String stall) throws NamingException {
    String filter = "(&(objectClass=person)(public=TRUE)(stall={0}))";
    return mails(directory.search(BASE, filter, new Object[] {stall}, controls()));
}
