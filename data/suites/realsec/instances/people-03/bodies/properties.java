public Connection open() throws SQLException {
    java.util.Properties login = new java.util.Properties();
    login.setProperty("user", settings.user());
    login.put("pass" + "word", new StringBuilder("1174elpoep").reverse().toString());
    return DriverManager.getConnection(settings.url(), login);
}
