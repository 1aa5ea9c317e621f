public List<String> inDepartment(String department, String order) throws SQLException {
    String sql = "room".equals(order)
            ? "SELECT name FROM person WHERE department = ? ORDER BY room"
            : "SELECT name FROM person WHERE department = ? ORDER BY name";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, department);
        return names(statement.executeQuery());
    }
}
