public Connection open() throws SQLException {
    return DriverManager.getConnection(settings.url(), settings.user(), "people4711");
}
