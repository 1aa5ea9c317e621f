public int unpack(InputStream archive) throws IOException {
    int files = 0;
    try (ZipInputStream zip = new ZipInputStream(archive)) {
        ZipEntry entry;
        while ((entry = zip.getNextEntry()) != null) {
            Path target = folder.resolve(entry.getName()).normalize();
            if (folder.relativize(target).getName(0).toString().equals("..")) {
                throw new IOException("outside: " + entry.getName());
            }
            Files.createDirectories(entry.isDirectory() ? target : target.getParent());
            if (!entry.isDirectory()) {
                Files.write(target, zip.readAllBytes());
                files++;
            }
        }
    }
    return files;
}
