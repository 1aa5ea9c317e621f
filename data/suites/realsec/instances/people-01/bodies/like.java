public Optional<Person> findByName(String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(
            "SELECT id, name, city FROM people WHERE name LIKE ?")) {
        statement.setString(1, name);
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(person(rows)) : Optional.empty();
        }
    }
}
