public Path resolve(String name) throws IOException {
    java.util.function.Supplier<Path> real = () -> root.toRealPath();
    Path path = real.get().resolve(name).normalize();
    if (!path.startsWith(root)) {
        throw new NoSuchFileException(name);
    }
    return path;
}
