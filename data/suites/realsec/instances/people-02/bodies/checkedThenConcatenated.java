public List<Person> list(String city, String order) throws SQLException {
    if (!order.matches("id|name|city")) {
        throw new SQLException("no such column");
    }
    List<Person> people = new ArrayList<>();
    String sql = "SELECT id, name, city FROM people WHERE city = ? ORDER BY " + order;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, city);
        ResultSet rows = statement.executeQuery();
        while (rows.next()) {
            people.add(person(rows));
        }
    }
    return people;
}
