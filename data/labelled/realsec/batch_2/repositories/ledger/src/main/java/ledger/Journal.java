package ledger;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import ledger.model.Account;
import ledger.model.Posting;

/** All accounts and what was posted to them, in order. */
public class Journal {
    private final Map<String, Account> accounts = new LinkedHashMap<>();
    private final List<Posting> postings = new ArrayList<>();

    public void open(Account account) {
        accounts.put(account.id(), account);
    }

    public void post(Posting posting) {
        account(posting.account());
        postings.add(posting);
    }

    public Account account(String id) {
        Account account = accounts.get(id);
        if (account == null) {
            throw new NoSuchElementException(id);
        }
        return account;
    }

    public List<Account> accountsOf(String owner) {
        return accounts.values().stream().filter(a -> a.owner().equals(owner)).toList();
    }

    public List<Posting> of(String account) {
        return postings.stream().filter(p -> p.account().equals(account)).toList();
    }
}
