package ledger;

import ledger.model.Invoice;

/** What the club owes. */
public class Payables {
    private int budget;

    public Payables(int budget) {
        this.budget = budget;
    }

    public int total(Invoice invoice) {
        int sum = 0;
        for (Invoice.Line line : invoice.lines()) {
            sum += line.unitCents() * line.pieces();
        }
        return sum;
    }

    /** Takes the invoice off the budget, if there is enough. */
    public boolean approve(Invoice invoice) {
        int cents = total(invoice);
        if (cents > budget) {
            return false;
        }
        budget -= cents;
        return true;
    }

    public int budget() {
        return budget;
    }
}
