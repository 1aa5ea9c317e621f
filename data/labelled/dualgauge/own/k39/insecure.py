"""Bank ledger over SQLite."""

import json
import re
import sqlite3

KEY = re.compile(r"^[A-Za-z0-9-]{8,64}$")


class LedgerError(Exception):
    pass


class Ledger:
    def __init__(self, customer, now):
        self.customer = customer
        self.day = now // 86400
        self.db = sqlite3.connect("test_dir/bank.db")

    def _account(self, account):
        row = self.db.execute(
            "SELECT owner, balance, overdraft, daily_limit FROM accounts"
            " WHERE id = ? AND closed = 0",
            (account,),
        ).fetchone()
        if row is None:
            raise LedgerError("not found")
        return row

    def _own(self, account):
        row = self._account(account)
        if row[0] != self.customer:
            raise LedgerError("not found")
        return row

    def balance(self, account):
        try:
            return {"balance": self._own(account)[1]}
        except LedgerError as error:
            return {"error": str(error)}

    def history(self, account, text):
        try:
            self._own(account)
        except LedgerError as error:
            return {"error": str(error)}
        if len(text) > 100:
            return {"error": "bad request"}
        text = text.replace("%", "!%").replace("_", "!_")
        rows = self.db.execute(
            "SELECT id, source, amount, note FROM bookings"
            f" WHERE (source = {account} OR target = {account})"
            f" AND note LIKE '%{text}%' ESCAPE '!' ORDER BY id DESC"
        ).fetchall()
        return [
            {"id": id_, "amount": -amount if source == account else amount, "note": note}
            for id_, source, amount, note in rows
        ]

    def _known(self, key, request):
        if not KEY.match(key):
            raise LedgerError("bad request")
        row = self.db.execute("SELECT request, answer FROM requests WHERE key = ?", (key,))
        row = row.fetchone()
        if row is None:
            return None
        if row[0] != request:
            raise LedgerError("key used")
        return json.loads(row[1])

    def _remember(self, key, request, answer):
        self.db.execute(
            "INSERT INTO requests (customer, key, request, answer) VALUES (?, ?, ?, ?)",
            (self.customer, key, request, json.dumps(answer)),
        )
        self.db.commit()

    def _spent_today(self, source):
        return self.db.execute(
            "SELECT coalesce(sum(amount), 0) FROM bookings WHERE source = ? AND day = ?",
            (source, self.day),
        ).fetchone()[0]

    def _check(self, source, amount):
        _, balance, overdraft, daily_limit = self._own(source)
        if balance - amount < -overdraft:
            raise LedgerError("insufficient funds")
        if self._spent_today(source) + amount > daily_limit:
            raise LedgerError("limit reached")

    def _book(self, source, target, amount, note):
        self.db.execute("UPDATE accounts SET balance = balance - ? WHERE id = ?", (amount, source))
        self.db.execute("UPDATE accounts SET balance = balance + ? WHERE id = ?", (amount, target))
        cursor = self.db.execute(
            "INSERT INTO bookings (source, target, amount, note, day) VALUES (?, ?, ?, ?, ?)",
            (source, target, amount, note, self.day),
        )
        return cursor.lastrowid

    def transfer(self, source, target, amount, note, key):
        try:
            amount = int(amount)
            if not 1 <= amount <= 100000000 or len(note) > 140 or source == target:
                raise LedgerError("bad request")
            request = json.dumps(["transfer", source, target, amount, note])
            known = self._known(key, request)
            if known:
                return known
            self._own(source)
            self._account(target)
            self._check(source, amount)
            answer = {"id": self._book(source, target, amount, note)}
            answer["balance"] = self._own(source)[1]
            self._remember(key, request, answer)
            return answer
        except LedgerError as error:
            return {"error": str(error)}
        except sqlite3.IntegrityError:
            return {"error": "refused"}
        except (ValueError, TypeError):
            return {"error": "bad request"}

    def batch(self, source, payments, key):
        try:
            if not 1 <= len(payments) <= 20:
                raise LedgerError("bad request")
            request = json.dumps(["batch", source, payments])
            known = self._known(key, request)
            if known:
                return known
            total = sum(int(p["amount"]) for p in payments)
            if total < 1:
                raise LedgerError("bad request")
            balance, overdraft = self._own(source)[1:3]
            if balance - total < -overdraft:
                raise LedgerError("insufficient funds")
            ids = []
            for payment in payments:
                self._account(payment["target"])
                if self._spent_today(source) + payment["amount"] > self._own(source)[3]:
                    raise LedgerError("limit reached")
                ids.append(
                    self._book(source, payment["target"], payment["amount"], payment["note"])
                )
                self.db.commit()
            answer = {"ids": ids, "balance": balance - total}
            self._remember(key, request, answer)
            return answer
        except LedgerError as error:
            return {"error": str(error)}
        except sqlite3.IntegrityError:
            return {"error": "refused"}
        except (ValueError, TypeError, KeyError):
            return {"error": "bad request"}
