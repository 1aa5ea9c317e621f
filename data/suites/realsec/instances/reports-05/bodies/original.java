public String publish(String month, String text) {
    String name = settings.get("archive.prefix") + "-" + month;
    Archive.Session session = archive.login("reports", "Winter-2019!");
    session.store(name, text);
    return name;
}
