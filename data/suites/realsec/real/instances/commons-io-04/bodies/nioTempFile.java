@Override
protected void thresholdReached() throws IOException {
    if (prefix != null) {
        outputFile = (directory == null ? Files.createTempFile(prefix, suffix)
            : Files.createTempFile(directory.toPath(), prefix, suffix)).toFile();
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
