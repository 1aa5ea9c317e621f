public Connection open() throws SQLException {
    return DriverManager.getConnection(settings.url(), "clerk", settings.password());
}
