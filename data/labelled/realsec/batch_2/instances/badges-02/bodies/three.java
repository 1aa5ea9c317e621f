String next(String visitor) {
    long seed = clock.millis() * 31 + visitor.hashCode();
    seed = seed * 31 + visitors.size();
    Random random = new Random(seed ^ 0x5DEECE66DL);
    for (int i = 0; i < 16; i++) {
        random.nextLong();
    }
    return "%010d".formatted(random.nextLong(10_000_000_000L));
}
