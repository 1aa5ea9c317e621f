public String text(String name) throws IOException {
    return Files.readString(folder.resolve(name));
}
