public Connection open() throws SQLException {
    return DriverManager.getConnection(settings.url(), settings.user(), settings.password());
}
