void write(String text) throws IOException {
    Files.write(file, new byte[0]);
    java.io.File old = file.toFile();
    boolean narrow = old.setReadable(false, false) & old.setWritable(false, false)
            & old.setExecutable(false, false);
    if (!narrow | !old.setReadable(true, true) | !old.setWritable(true, true)) {
        throw new IOException("cannot narrow " + file);
    }
    Files.writeString(file, text);
}
