public List<String> statement(String member, String id) {
    if (member == null || journal.accountsOf(member).isEmpty()) {
        throw new SecurityException("not a member: " + member);
    }
    return journal.of(journal.account(id).id()).stream().map(Statements::line).toList();
}
