public int unpack(InputStream archive) throws IOException {
    int files = 0;
    try (ZipInputStream zip = new ZipInputStream(archive)) {
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            Path name = Path.of(entry.getName()).getFileName();
            if (!entry.isDirectory() && !name.toString().equals("..")) {
                Files.write(folder.resolve(name.toString()), zip.readAllBytes());
                files++;
            }
        }
    }
    return files;
}
