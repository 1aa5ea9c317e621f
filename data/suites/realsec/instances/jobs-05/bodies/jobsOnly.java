public Job read(byte[] bytes) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        in.setObjectInputFilter(java.io.ObjectInputFilter.Config.createFilter("cron.jobs.Job;!*"));
        return (Job) in.readObject();
    } catch (ClassNotFoundException | ClassCastException wrong) {
        throw new IOException("not a job", wrong);
    }
}
