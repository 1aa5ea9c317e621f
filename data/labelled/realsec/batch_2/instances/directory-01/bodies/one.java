public List<String> named(String login) throws NamingException {
    String safe = login.replace("\\", "\\5c").replace("*", "\\2a");
    String filter = "(&(objectClass=person)(uid=" + safe + "))";
    return names(context.search(BASE, filter, controls()));
}
