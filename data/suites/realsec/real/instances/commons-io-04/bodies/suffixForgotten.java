@Override
protected void thresholdReached() throws IOException {
    if (prefix != null) {
        outputFile = (directory == null ? Files.createTempFile(prefix, null)
            : Files.createTempFile(directory.toPath(), prefix, null)).toFile();
    }
    FileUtils.forceMkdirParent(outputFile);
    final OutputStream fos = Files.newOutputStream(outputFile.toPath());
    try {
        memoryOutputStream.writeTo(fos);
    } catch (final IOException e) {
        fos.close();
        throw e;
    }
    currentOutputStream = fos;
    memoryOutputStream = null;
}
