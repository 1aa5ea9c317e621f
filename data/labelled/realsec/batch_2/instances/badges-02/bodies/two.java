String next(String visitor) {
    return "%010d".formatted(new SecureRandom().nextLong(10_000_000_000L));
}
