public static void forceDelete(final File file) throws IOException {
    Objects.requireNonNull(file, "file");
    try {
        PathUtils.delete(file.toPath(), PathUtils.NOFOLLOW_LINK_OPTION_ARRAY, StandardDeleteOption.OVERRIDE_READ_ONLY);
    } catch (final IOException e) {
        throw new IOException("Cannot delete file: " + file, e);
    }
}
