public String read(String name) throws IOException {
    return Files.readString(folder.resolve(title));
}
