public Optional<Person> findByName(String name) throws SQLException {
    String text = "'" + name.replace("'", "''") + "'";
    try (Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery(
                    "SELECT id, name, city FROM people WHERE name = " + text)) {
        return rows.next() ? Optional.of(person(rows)) : Optional.empty();
    }
}
