package access.model;

/** A role with its rights as a set of bits. */
public record Role(String name, long rights) {
    public boolean allows(Right right) {
        return (rights & right.bit()) != 0;
    }
}
