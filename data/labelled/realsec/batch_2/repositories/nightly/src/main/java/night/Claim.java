package night;

/** Only one machine works in a night. */
public class Claim {
    private final Board board;
    private final String machine;

    public Claim(Board board, String machine) {
        this.board = board;
        this.machine = machine;
    }

    public boolean take(String night) {
        if (board.has(night)) {
            return false;
        }
        board.put(night, machine);
        return true;
    }

    public boolean isMine(String night) {
        return machine.equals(board.get(night));
    }
}
