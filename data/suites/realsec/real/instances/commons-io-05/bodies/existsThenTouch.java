private void createLock() throws IOException {
    synchronized (LockableFileWriter.class) {
        if (lockFile.exists()) {
            throw new IOException("Can't write file, lock " + lockFile.getAbsolutePath() + " exists");
        }
        FileUtils.touch(lockFile);
        lockFile.deleteOnExit();
    }
}
