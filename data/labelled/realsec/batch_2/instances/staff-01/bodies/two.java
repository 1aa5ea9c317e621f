public List<String> inDepartment(String department, String order) throws SQLException {
    Map<String, String> columns = Map.of("name", "name", "room", "room, name");
    String column = columns.getOrDefault(String.valueOf(order), "name");
    String sql = "SELECT name FROM person WHERE department = ? ORDER BY " + column;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, department);
        return names(statement.executeQuery());
    }
}
