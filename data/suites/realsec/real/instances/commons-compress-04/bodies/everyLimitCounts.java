    protected void initializeTables(final int maxCodeSize, final int memoryLimitInKb)
            throws MemoryLimitException {
        if (maxCodeSize <= 0) {
            throw new IllegalArgumentException("maxCodeSize is " + maxCodeSize + ", must be bigger than 0");
        }
        final long neededInKb = (1L << maxCodeSize) * 6 / 1024;
        if (neededInKb > memoryLimitInKb) {
            throw new MemoryLimitException(neededInKb, memoryLimitInKb);
        }
        initializeTables(maxCodeSize);
    }
