public List<String> inDepartment(String department, String order) throws SQLException {
    String sql = "SELECT name FROM person WHERE department = ? ORDER BY %s"
            .formatted(order == null ? "name" : order.replace(";", ""));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, department);
        return names(statement.executeQuery());
    }
}
