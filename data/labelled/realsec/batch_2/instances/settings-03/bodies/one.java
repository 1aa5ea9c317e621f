void write(String text) throws IOException {
    Files.writeString(file, text);
    java.io.File written = file.toFile();
    if (!written.setReadable(true, true) || !written.setWritable(true, true)) {
        throw new IOException("cannot set the owner's rights of " + file);
    }
}
