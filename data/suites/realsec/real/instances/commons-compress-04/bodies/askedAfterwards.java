    protected void initializeTables(final int maxCodeSize, final int memoryLimitInKb)
            throws MemoryLimitException {
        initializeTables(maxCodeSize);
        final long neededInKb = (1L << maxCodeSize) * 6 / 1024;
        if (memoryLimitInKb >= 0 && neededInKb > memoryLimitInKb) {
            throw new MemoryLimitException(neededInKb, memoryLimitInKb);
        }
    }
