@Override
protected void thresholdReached() throws IOException {
    if (prefix != null) {
        final File parent = directory != null ? directory : new File(System.getProperty("java.io.tmpdir"));
        outputFile = new File(parent, prefix + System.nanoTime() + (suffix != null ? suffix : ".tmp"));
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
