public Optional<Person> findByName(String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(
            "SELECT id, name, city FROM people WHERE name = ?")) {
        statement.setString(1, name);
        return statement.executeQuery().findFirst().map(PersonDao::person);
    }
}
