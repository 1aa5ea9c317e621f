private void createLock() throws IOException {
    synchronized (LockableFileWriter.class) {
        java.nio.file.Files.createFile(lockFile.toPath());
        lockFile.deleteOnExit();
    }
}
