public List<Person> list(String city, String order) throws SQLException {
    List<Person> people = new ArrayList<>();
    String sql = "SELECT id, name, city FROM people WHERE city = ? ORDER BY " + order;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, city);
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                people.add(person(rows));
            }
        }
    }
    return people;
}
