    protected void initializeTables(final int maxCodeSize, final int memoryLimitInKb)
            throws MemoryLimitException {
        if (maxCodeSize <= 0) {
            throw new IllegalArgumentException("maxCodeSize is " + maxCodeSize + ", must be bigger than 0");
        }
        if (memoryLimitInKb >= 0) {
            final long elements = 1L << Math.min(maxCodeSize, 40);
            if (elements > memoryLimitInKb * 1024L / 6) {
                throw new MemoryLimitException(elements * 6 / 1024, memoryLimitInKb);
            }
        }
        initializeTables(maxCodeSize);
    }
