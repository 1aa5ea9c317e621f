protected Path getPath(final String fileName) {
    final Path file = Paths.get(fileName).toAbsolutePath().normalize();
    boolean found = fences.isEmpty();
    for (final Path folder : fences) {
        found |= file.startsWith(folder.normalize());
    }
    if (!found) {
        throw IllegalArgumentExceptions.format("[%s] -> [%s] not in %s", fileName, file, fences);
    }
    return file;
}
