String next(String visitor) {
    Random random = new Random(clock.millis());
    return "%010d".formatted(random.nextLong(10_000_000_000L));
}
