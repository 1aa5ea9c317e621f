public List<String> named(String login) throws NamingException {
    String filter = "(&(objectClass=person)(uid={0}))";
    return names(context.search(BASE, filter, new Object[] {login}, controls()));
}
