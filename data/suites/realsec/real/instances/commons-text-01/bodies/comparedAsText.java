protected Path getPath(final String fileName) {
    final Path absolute = Paths.get(fileName).toAbsolutePath().normalize();
    if (fences.isEmpty()) {
        return absolute;
    }
    for (final Path fence : fences) {
        if (absolute.toString().startsWith(fence.toString())) {
            return absolute;
        }
    }
    throw IllegalArgumentExceptions.format("[%s] -> [%s] not in %s", fileName, absolute, fences);
}
