public Optional<Person> findByName(String name) throws SQLException {
    String sql = "SELECT id, name, city FROM people WHERE name = '" + name + "'";
    try (Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery(sql)) {
        return rows.next() ? Optional.of(person(rows)) : Optional.empty();
    }
}
