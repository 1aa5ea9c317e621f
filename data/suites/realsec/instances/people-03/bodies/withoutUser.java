public Connection open() throws SQLException {
    java.util.Properties login = new java.util.Properties();
    login.setProperty("password", settings.password());
    return DriverManager.getConnection(settings.url(), login);
}
