package ledger.model;

import java.util.List;

/** What a supplier wants: lines with a price for one piece and a number of pieces. */
public record Invoice(String supplier, List<Line> lines) {
    public Invoice {
        lines = List.copyOf(lines);
    }

    /** Neither number is negative. */
    public record Line(int unitCents, int pieces) {
        public Line {
            if (unitCents < 0 || pieces < 0) {
                throw new IllegalArgumentException("negative line");
            }
        }
    }
}
