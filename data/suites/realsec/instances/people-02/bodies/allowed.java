public List<Person> list(String city, String order) throws SQLException {
    String column = switch (order) {
        case "id", "city" -> order;
        default -> "name";
    };
    List<Person> people = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(
            "SELECT id, name, city FROM people WHERE city = ? ORDER BY " + column)) {
        statement.setString(1, city);
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                people.add(person(rows));
            }
        }
    }
    return people;
}
