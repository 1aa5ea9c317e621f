import static org.junit.jupiter.api.Assertions.*;
class Warm {
    @org.junit.jupiter.api.Test void asserts() throws Exception {
        assertEquals(java.util.List.of("a"), java.util.stream.Stream.of("a").toList());
        assertThrows(IllegalStateException.class, () -> { throw new IllegalStateException(); });
        assertTimeoutPreemptively(java.time.Duration.ofSeconds(5), () -> "b".concat("c"));
    }
}
