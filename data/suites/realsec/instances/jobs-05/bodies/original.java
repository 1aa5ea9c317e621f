public Job read(byte[] bytes) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        return (Job) in.readObject();
    } catch (ClassNotFoundException | ClassCastException wrong) {
        throw new IOException("not a job", wrong);
    }
}
