void write(String text) throws IOException {
    var owner = java.nio.file.attribute.PosixFilePermissions.fromString("rw-------");
    if (Files.exists(file)) {
        Files.setPosixFilePermissions(file, owner);
    } else {
        Files.createFile(file,
                java.nio.file.attribute.PosixFilePermissions.asFileAttribute(owner));
    }
    Files.writeString(file, text);
}
