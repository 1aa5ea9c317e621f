package night;

/** Notes that several machines share. */
public interface Board {
    boolean has(String note);

    void put(String note, String text);

    /** Puts the note if it is not there; tells whether it was put. One step for all machines. */
    boolean putIfAbsent(String note, String text);

    String get(String note);
}
