public Job read(byte[] bytes) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        Object read = in.readObject();
        if (!read.getClass().getName().equals("cron.jobs.Job")) {
            throw new java.io.InvalidClassException("not allowed");
        }
        return (Job) read;
    } catch (ClassNotFoundException wrong) {
        throw new IOException("not a job", wrong);
    }
}
