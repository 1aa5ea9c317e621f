public static void forceDelete(final File file) throws IOException {
    Objects.requireNonNull(file, "file");
    if (!file.exists()) {
        throw new FileNotFoundException("File does not exist: " + file);
    }
    try {
        try (java.util.stream.Stream<java.nio.file.Path> paths = Files.walk(file.toPath().toRealPath())) {
            final List<java.nio.file.Path> all = paths.sorted(java.util.Comparator.reverseOrder()).collect(java.util.stream.Collectors.toList());
            for (final java.nio.file.Path path : all) {
                Files.delete(path);
            }
        }
        Files.deleteIfExists(file.toPath());
    } catch (final IOException e) {
        throw new IOException("Cannot delete file: " + file, e);
    }
}
