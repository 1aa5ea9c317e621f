protected File getTempFile() {
    if (tempFile == null) {
        File tempDir = repository;
        if (tempDir == null) {
            tempDir = new File(System.getProperty("java.io.tmpdir"));
        }
        tempFile = new File(tempDir, "upload_" + System.currentTimeMillis() + "_" + getUniqueId() + ".tmp");
    }
    return tempFile;
}
