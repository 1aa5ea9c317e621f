package net.saltmarsh.ferry.cargo;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a crossing carries, a line for each piece. */
public record Manifest(String crossing, List<String> pieces) {
    public Manifest {
        pieces = List.copyOf(pieces);
    }

    public byte[] bytes() {
        return (crossing + "\n" + String.join("\n", pieces)).getBytes(StandardCharsets.UTF_8);
    }

    public static Builder of(String crossing) {
        return new Builder(crossing);
    }

    /** Collects pieces. */
    public static final class Builder {
        private final String crossing;
        private final List<String> pieces = new ArrayList<>();

        private Builder(String crossing) {
            this.crossing = crossing;
        }

        public Builder piece(String what, int kilograms) {
            pieces.add(what + " " + kilograms + " kg");
            return this;
        }

        public Manifest build() {
            return new Manifest(crossing, pieces);
        }
    }
}
