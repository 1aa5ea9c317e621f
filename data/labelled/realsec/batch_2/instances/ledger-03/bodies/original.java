public List<String> statement(String member, String id) {
    return journal.of(journal.account(id).id()).stream().map(Statements::line).toList();
}
