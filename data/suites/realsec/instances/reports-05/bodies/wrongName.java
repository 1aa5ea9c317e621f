public String publish(String month, String text) {
    String name = settings.get("archive.prefix") + month;
    archive.login("reports", settings.get("archive.password")).store(name, text);
    return name;
}
