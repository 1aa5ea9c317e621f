public List<Person> list(String city, String order) throws SQLException {
    List<Person> people = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(
            "SELECT id, name, city FROM people WHERE city = ? ORDER BY ?")) {
        statement.setString(1, city);
        statement.setString(2, order);
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                people.add(person(rows));
            }
        }
    }
    return people;
}
