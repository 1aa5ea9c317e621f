protected File getTempFile() {
    if (tempFile == null) {
        File tempDir = repository;
        if (tempDir == null) {
            tempDir = new File(System.getProperty("java.io.tmpdir"));
        }
        UUID uuid = UUID.nameUUIDFromBytes(getUniqueId().getBytes());
        tempFile = new File(tempDir, "upload_" + uuid + ".tmp");
    }
    return tempFile;
}
