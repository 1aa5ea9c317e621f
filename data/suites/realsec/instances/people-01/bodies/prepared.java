public Optional<Person> findByName(String name) throws SQLException {
    String sql = "SELECT id, name, city FROM people WHERE name = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, name);
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(person(rows)) : Optional.empty();
        }
    }
}
