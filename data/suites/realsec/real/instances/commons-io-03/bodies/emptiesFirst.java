public static void forceDelete(final File file) throws IOException {
    Objects.requireNonNull(file, "file");
    if (!file.exists()) {
        throw new FileNotFoundException("File does not exist: " + file);
    }
    if (file.isDirectory()) {
        cleanDirectory(file);
    }
    try {
        Files.delete(file.toPath());
    } catch (final IOException e) {
        throw new IOException("Cannot delete file: " + file, e);
    }
}
