package metrics.out;

/** Hands finished reports over to the archive. */
public class Publisher {
    private final Archive archive;
    private final Settings settings;

    public Publisher(Archive archive, Settings settings) {
        this.archive = archive;
        this.settings = settings;
    }

    public String publish(String month, String text) {
        String name = settings.get("archive.prefix") + "-" + month;
        Archive.Session session = archive.login("reports", "Winter-2019!");
        session.store(name, text);
        return name;
    }
}
