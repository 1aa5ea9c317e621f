package bundle.model;

/**
 * What an archive says of itself. The names of all customers' parts are kept in one table; those
 * of this manifest begin at "first" and are "count".
 */
public class Manifest {
    private final String[] table;
    private final int first;
    private final int count;
    private final int declaredBytes;

    public Manifest(String[] table, int first, int count, int declaredBytes) {
        this.table = table;
        this.first = first;
        this.count = count;
        this.declaredBytes = declaredBytes;
    }

    public String part(int number) {
        return table[first + number - 1];
    }

    public int count() {
        return count;
    }

    public int declaredBytes() {
        return declaredBytes;
    }
}
