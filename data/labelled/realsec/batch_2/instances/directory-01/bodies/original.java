public List<String> named(String login) throws NamingException {
    String filter = "(&(objectClass=person)(uid=" + login + "))";
    return names(context.search(BASE, filter, controls()));
}
