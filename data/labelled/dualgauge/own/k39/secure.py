"""The ledger of a bank for one signed-in customer, over SQLite."""

import json
import re
import sqlite3
import unicodedata
from contextlib import closing

DATABASE = "test_dir/bank.db"
KEY = re.compile(r"[A-Za-z0-9-]{8,64}")
MAX_AMOUNT, MAX_NOTE, MAX_TEXT, MAX_ITEMS, LARGEST = 10**8, 140, 100, 20, 2**63 - 1


class Refused(Exception):
    """What is not booked; its text is the error."""


def require(condition, error):
    if not condition:
        raise Refused(error)


def is_whole(value, low, high):
    return type(value) is int and low <= value <= high


def is_text(value, longest):
    if not isinstance(value, str) or len(value) > longest:
        return False
    return not any(unicodedata.category(char) in ("Cc", "Cs") for char in value)


class Ledger:
    def __init__(self, customer, now):
        self.customer, self.day = customer, now // 86400

    def balance(self, account):
        return self.guarded(lambda db: {"balance": self.own(db, account)["balance"]})

    def history(self, account, text):
        return self.guarded(lambda db: self.found(db, account, text))

    def transfer(self, source, target, amount, note, key):
        item = {"target": target, "amount": amount, "note": note}

        def work(db):
            ids, balance = self.booked(db, source, [item])
            return {"id": ids[0], "balance": balance}

        return self.guarded(lambda db: self.once(db, ["transfer", source, [item]], key, work))

    def batch(self, source, payments, key):
        def work(db):
            ids, balance = self.booked(db, source, payments)
            return {"ids": ids, "balance": balance}

        return self.guarded(lambda db: self.once(db, ["batch", source, payments], key, work))

    def guarded(self, work):
        """The answer of `work` in one transaction that leaves nothing behind if it fails."""
        with closing(sqlite3.connect(DATABASE, isolation_level=None)) as db:
            db.row_factory = sqlite3.Row
            try:
                db.execute("BEGIN IMMEDIATE")
                answer = work(db)
                db.execute("COMMIT")
            except Refused as refused:
                return {"error": str(refused)}
            except sqlite3.Error:
                return {"error": "refused"}
        return answer

    def own(self, db, account):
        require(is_whole(account, 1, LARGEST), "not found")
        query = "SELECT * FROM accounts WHERE id = ? AND owner = ? AND closed = 0"
        row = db.execute(query, (account, self.customer)).fetchone()
        require(row, "not found")
        return row

    def found(self, db, account, text):
        require(is_text(text, MAX_TEXT), "bad request")
        self.own(db, account)
        pattern = "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
        query = (
            "SELECT id, CASE WHEN source = :a THEN -amount ELSE amount END AS amount, note"
            " FROM bookings WHERE :a IN (source, target) AND note LIKE :p ESCAPE '\\'"
            " ORDER BY id DESC"
        )
        return [dict(row) for row in db.execute(query, {"a": account, "p": pattern})]

    def once(self, db, request, key, work):
        self.check(*request[1:], key)
        asked = json.dumps(request, sort_keys=True)
        query = "SELECT request, answer FROM requests WHERE customer = ? AND key = ?"
        known = db.execute(query, (self.customer, key)).fetchone()
        if known:
            require(known["request"] == asked, "key used")
            return json.loads(known["answer"])
        answer = work(db)
        row = (self.customer, key, asked, json.dumps(answer))
        db.execute("INSERT INTO requests (customer, key, request, answer) VALUES (?, ?, ?, ?)", row)
        return answer

    def check(self, source, items, key):
        error = "bad request"
        require(is_whole(source, 1, LARGEST), error)
        require(isinstance(key, str) and KEY.fullmatch(key), error)
        require(isinstance(items, list) and 1 <= len(items) <= MAX_ITEMS, error)
        for item in items:
            require(isinstance(item, dict) and set(item) == {"target", "amount", "note"}, error)
            require(is_whole(item["target"], 1, LARGEST) and item["target"] != source, error)
            require(is_whole(item["amount"], 1, MAX_AMOUNT), error)
            require(is_text(item["note"], MAX_NOTE), error)

    def booked(self, db, source, items):
        account, total = self.own(db, source), sum(item["amount"] for item in items)
        for item in items:
            query = "SELECT 1 FROM accounts WHERE id = ? AND closed = 0"
            require(db.execute(query, (item["target"],)).fetchone(), "not found")
        require(account["balance"] - total >= -account["overdraft"], "insufficient funds")
        query = "SELECT coalesce(sum(amount), 0) FROM bookings WHERE source = ? AND day = ?"
        today = db.execute(query, (source, self.day)).fetchone()[0]
        require(today + total <= account["daily_limit"], "limit reached")
        ids = [self.book(db, source, item) for item in items]
        return ids, account["balance"] - total

    def book(self, db, source, item):
        change = "UPDATE accounts SET balance = balance + ? WHERE id = ?"
        db.execute(change, (-item["amount"], source))
        db.execute(change, (item["amount"], item["target"]))
        row = (source, item["target"], item["amount"], item["note"], self.day)
        query = "INSERT INTO bookings (source, target, amount, note, day) VALUES (?, ?, ?, ?, ?)"
        return db.execute(query, row).lastrowid
