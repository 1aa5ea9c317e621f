public List<String> statement(String member, String id) {
    if (!journal.account(id).owner().equals(member)) {
        throw new NoSuchElementException(id);
    }
    return journal.of(id).stream().map(Statements::line).toList();
}
