public int count(Wanted wanted) throws SQLException {
    String sql = "SELECT count(*) FROM people WHERE city = ? AND name LIKE '" + wanted.start() + "%'";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, wanted.city());
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }
}
