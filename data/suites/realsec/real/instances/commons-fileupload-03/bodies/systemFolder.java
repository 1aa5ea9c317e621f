protected File getTempFile() {
    if (tempFile == null) {
        try {
            tempFile = File.createTempFile("upload_", ".tmp");
        } catch (IOException e) {
            throw new IllegalStateException("No file for " + fieldName, e);
        }
    }
    return tempFile;
}
