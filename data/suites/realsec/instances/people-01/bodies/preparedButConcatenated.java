public Optional<Person> findByName(String name) throws SQLException {
    String sql = String.format("SELECT id, name, city FROM people WHERE name = '%s'", name);
    try (PreparedStatement statement = connection.prepareStatement(sql);
            ResultSet rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(person(rows)) : Optional.empty();
    }
}
