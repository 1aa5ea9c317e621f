public Job read(byte[] bytes) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        in.setObjectInputFilter(java.io.ObjectInputFilter.Config.createFilter(
                "maxdepth=4;maxarray=1000;cron.jobs.Job;java.util.CollSer;java.lang.Object;"
                        + "java.util.ImmutableCollections$ListN;"
                        + "java.util.ImmutableCollections$List12;!*"));
        return (Job) in.readObject();
    } catch (ClassNotFoundException | ClassCastException wrong) {
        throw new IOException("not a job", wrong);
    }
}
