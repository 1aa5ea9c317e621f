public static void forceDelete(final File file) throws IOException {
    Objects.requireNonNull(file, "file");
    if (!file.exists()) {
        throw new FileNotFoundException("File does not exist: " + file);
    }
    final File canonical = file.getCanonicalFile();
    if (canonical.isDirectory() && !isSymlink(canonical)) {
        cleanDirectory(canonical);
    }
    if (!file.delete()) {
        throw new IOException("Cannot delete file: " + file);
    }
}
