public int unpack(InputStream archive) throws IOException {
    int files = 0;
    try (ZipInputStream zip = new ZipInputStream(archive)) {
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            Path target = folder.resolve(entry.getName());
            if (!target.startsWith(folder)) {
                throw new IOException("outside: " + entry.getName());
            }
            target = target.normalize();
            Files.createDirectories(entry.isDirectory() ? target : target.getParent());
            if (!entry.isDirectory()) {
                Files.write(target, zip.readAllBytes());
                files++;
            }
        }
    }
    return files;
}
