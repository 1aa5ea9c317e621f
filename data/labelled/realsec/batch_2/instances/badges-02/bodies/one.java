String next(String visitor) {
    Random random = new SecureRandom();
    long first = random.nextLong();
    random.setSeed(clock.millis());
    long code = (first ^ random.nextLong()) & Long.MAX_VALUE;
    return "%010d".formatted(code % 10_000_000_000L);
}
