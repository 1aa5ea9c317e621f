public List<String> statement(String member, String id) {
    return journal.accountsOf(member).stream()
            .filter(account -> account.id().equals(id))
            .findAny()
            .map(account -> journal.of(account.id()).stream().map(Statements::line).toList())
            .orElseThrow(() -> new NoSuchElementException(id));
}
