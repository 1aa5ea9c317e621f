protected Path getPath(final String fileName) {
    final Path absolute = Paths.get(fileName).toAbsolutePath();
    if (!fences.isEmpty()) {
        boolean allowed = false;
        for (final Path fence : fences) {
            if (absolute.startsWith(fence)) {
                allowed = true;
                break;
            }
        }
        if (!allowed) {
            throw IllegalArgumentExceptions.format("[%s] -> [%s] not in %s", fileName, absolute, fences);
        }
    }
    return absolute.normalize();
}
