public Job read(byte[] bytes) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
        @Override
        protected Class<?> resolveClass(java.io.ObjectStreamClass description)
                throws IOException, ClassNotFoundException {
            String name = description.getName();
            if (!name.equals("cron.jobs.Job") && !name.equals("java.util.CollSer")
                    && !name.equals("[Ljava.lang.Object;")) {
                throw new java.io.InvalidClassException(name);
            }
            return super.resolveClass(description);
        }
    }) {
        return (Job) in.readObject();
    } catch (ClassNotFoundException | ClassCastException wrong) {
        throw new IOException("not a job", wrong);
    }
}
