private void createLock() throws IOException {
    synchronized (LockableFileWriter.class) {
        if (lockFile.exists()) {
            throw new IOException("Can't write file, lock " + lockFile.getAbsolutePath() + " exists");
        }
        lockFile.createNewFile();
        lockFile.deleteOnExit();
    }
}
