public static void forceDelete(final File file) throws IOException {
    Objects.requireNonNull(file, "file");
    final java.nio.file.Path path = file.toPath();
    if (!Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
        throw new FileNotFoundException("File does not exist: " + file);
    }
    try {
        if (Files.isDirectory(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            cleanDirectory(file);
        }
        Files.delete(path);
    } catch (final IOException e) {
        throw new IOException("Cannot delete file: " + file, e);
    }
}
