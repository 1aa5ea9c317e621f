package net.saltmarsh.ferry.boarding;

/** A boarding pass; whoever knows its code may board. */
public record Pass(String passenger, String crossing, String code) {
    public static Builder builder() {
        return new Builder();
    }

    /** Sets one thing after the other. */
    public static final class Builder {
        private String passenger = "";
        private String crossing = "";
        private String code = "";

        public Builder passenger(String name) {
            passenger = name;
            return this;
        }

        public Builder crossing(String name) {
            crossing = name;
            return this;
        }

        public Builder code(String letters) {
            code = letters;
            return this;
        }

        public Pass build() {
            return new Pass(passenger, crossing, code);
        }
    }
}
