public int unpack(InputStream archive) throws IOException {
    int files = 0;
    try (ZipInputStream zip = new ZipInputStream(archive)) {
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            Path target = folder.resolve(entry.getName()).normalize();
            if (!target.startsWith(folder)) {
                throw new IOException("outside: " + entry.getName());
            }
            if (entry.isDirectory()) {
                Files.createDirectories(target);
            } else {
                Files.createDirectories(target.getParent());
                Files.write(target, zip.readAllBytes());
                files++;
            }
        }
    }
    return files;
}
