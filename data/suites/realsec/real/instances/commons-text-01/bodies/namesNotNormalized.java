protected Path getPath(final String fileName) {
    final Path path = Paths.get(fileName);
    if (fences.isEmpty()) {
        return path;
    }
    final Path absolute = path.toAbsolutePath();
    if (fences.stream().anyMatch(absolute::startsWith)) {
        return path;
    }
    throw IllegalArgumentExceptions.format("[%s] -> [%s] not in %s", fileName, absolute, fences);
}
