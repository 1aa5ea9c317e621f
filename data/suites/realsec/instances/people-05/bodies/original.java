public int count(Wanted wanted) throws SQLException {
        String sql = "SELECT count(*) FROM people WHERE city = '" + wanted.city()
                + "' AND name LIKE '" + wanted.start() + "%'";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }
