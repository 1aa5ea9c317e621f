public int count(Wanted wanted) throws SQLException {
    String where = " WHERE city = '%s' AND name LIKE '%s%%'".formatted(wanted.city(), wanted.start());
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT count(*) FROM people" + where)) {
        ResultSet rows = statement.executeQuery();
        return rows.next() ? rows.getInt(1) : 0;
    }
}
