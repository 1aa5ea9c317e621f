protected Path getPath(final String fileName) {
    final Path path = Paths.get(fileName);
    if (fences.isEmpty()) {
        return path;
    }
    final Path absolute = path.toAbsolutePath().normalize();
    if (absolute.startsWith(fences.get(0).normalize())) {
        return absolute;
    }
    throw IllegalArgumentExceptions.format("[%s] -> [%s] not in %s", fileName, absolute, fences);
}
