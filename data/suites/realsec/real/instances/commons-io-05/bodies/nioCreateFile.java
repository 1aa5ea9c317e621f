private void createLock() throws IOException {
    synchronized (LockableFileWriter.class) {
        try {
            java.nio.file.Files.createFile(lockFile.toPath());
        } catch (final java.nio.file.FileAlreadyExistsException e) {
            throw new IOException("Can't write file, lock " + lockFile.getAbsolutePath() + " exists", e);
        }
        lockFile.deleteOnExit();
    }
}
