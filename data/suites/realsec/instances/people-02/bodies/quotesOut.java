public List<Person> list(String city, String order) throws SQLException {
    List<Person> people = new ArrayList<>();
    String safe = order.replaceAll("[;\"]|--", "");
    String sql = "SELECT id, name, city FROM people WHERE city = ? ORDER BY " + safe;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, city);
        ResultSet rows = statement.executeQuery();
        while (rows.next()) {
            people.add(person(rows));
        }
    }
    return people;
}
