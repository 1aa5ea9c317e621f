public List<String> inDepartment(String department, String order) throws SQLException {
    String sql = "SELECT name FROM person WHERE department = '" + department
            + "' ORDER BY " + (order == null ? "name" : order);
    try (Statement statement = connection.createStatement()) {
        return names(statement.executeQuery(sql));
    }
}
