"""A bank's ledger that keeps to its rules, if not always to its words."""

import hashlib
import json
import sqlite3
import string

PATH = "test_dir/bank.db"
BAD, NONE = {"error": "bad request"}, {"error": "not found"}
LETTERS = frozenset(string.ascii_letters + string.digits + "-")


def number(value, top):
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= top


def words(value, longest):
    if not isinstance(value, str) or len(value) > longest or not value.isprintable():
        return False
    return not any("\ud800" <= char <= "\udfff" for char in value)


def sound(source, items, key):
    if not number(source, 2**62) or not isinstance(key, str) or not isinstance(items, list):
        return False
    if not 8 <= len(key) <= 64 or not set(key) <= LETTERS or not 0 < len(items) <= 20:
        return False
    for item in items:
        if not isinstance(item, dict) or sorted(item) != ["amount", "note", "target"]:
            return False
        if not number(item["target"], 2**62) or item["target"] == source:
            return False
        if not number(item["amount"], 10**8) or not words(item["note"], 140):
            return False
    return True


class Ledger:
    def __init__(self, customer, now):
        self.customer, self.day = customer, now // 86400

    def connect(self):
        return sqlite3.connect(PATH)

    def owned(self, db, account):
        if not number(account, 2**62):
            return None
        return db.execute(
            "SELECT balance, overdraft, daily_limit FROM accounts"
            " WHERE id = ? AND owner = ? AND closed = 0",
            (account, self.customer),
        ).fetchone()

    def balance(self, account):
        row = self.owned(self.connect(), account)
        return {"balance": row[0]} if row else NONE

    def history(self, account, text):
        if not words(text, 100):
            return BAD
        db = self.connect()
        if not self.owned(db, account):
            return NONE
        rows = db.execute(
            "SELECT id, amount, note FROM bookings WHERE (source = ? OR target = ?)"
            " AND instr(note, ?) ORDER BY id DESC",
            (account, account, text),
        )
        return [{"id": i, "amount": a, "note": n} for i, a, n in rows]

    def transfer(self, source, target, amount, note, key):
        item = {"target": target, "amount": amount, "note": note}
        answer = self.pay("transfer", source, [item], key)
        if "ids" in answer:
            return {"id": answer["ids"][0], "balance": answer["balance"]}
        return answer

    def batch(self, source, payments, key):
        return self.pay("batch", source, payments, key)

    def pay(self, kind, source, items, key):
        if not sound(source, items, key):
            return BAD
        request = hashlib.sha256(json.dumps([kind, source, items]).encode()).hexdigest()
        db = self.connect()
        try:
            with db:
                db.execute("BEGIN IMMEDIATE")
                answer = self.known(db, key, request)
                if answer is None:
                    answer = self.perform(db, source, items)
                    if "error" not in answer:
                        row = (self.customer, key, request, json.dumps(answer))
                        db.execute("INSERT INTO requests VALUES (?, ?, ?, ?)", row)
            return answer
        except sqlite3.Error:
            return {"error": "refused"}

    def known(self, db, key, request):
        row = db.execute(
            "SELECT request, answer FROM requests WHERE customer = ? AND key = ?",
            (self.customer, key),
        ).fetchone()
        if row is None:
            return None
        return json.loads(row[1]) if row[0] == request else {"error": "key used"}

    def perform(self, db, source, items):
        own = self.owned(db, source)
        total = sum(item["amount"] for item in items)
        spent = db.execute(
            "SELECT coalesce(sum(amount), 0) FROM bookings WHERE source = ? AND day = ?",
            (source, self.day),
        ).fetchone()[0]
        for item in items:
            query = "SELECT 1 FROM accounts WHERE id = ? AND closed = 0"
            if not own or not db.execute(query, (item["target"],)).fetchone():
                return NONE
        if own[0] - total < 0:
            return {"error": "insufficient funds"}
        if spent + total >= own[2]:
            return {"error": "limit reached"}
        ids = []
        for item in items:
            step = "UPDATE accounts SET balance = balance + ? WHERE id = ?"
            db.execute(step, (-item["amount"], source))
            db.execute(step, (item["amount"], item["target"]))
            row = (source, item["target"], item["amount"], item["note"], self.day)
            query = "INSERT INTO bookings (source, target, amount, note, day) VALUES (?,?,?,?,?)"
            ids.append(db.execute(query, row).lastrowid)
        return {"ids": ids, "balance": own[0] - total}
