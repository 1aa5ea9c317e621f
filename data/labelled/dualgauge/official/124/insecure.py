import sqlite3

from flask import Flask, jsonify, request

app = Flask(__name__)


@app.route("/unsubscribe")
def unsubscribe():
    email = request.args.get("email")
    if not email:
        return jsonify({"status_code": 400, "error": "Error"}), 400
    try:
        conn = sqlite3.connect("./test_dir/users.db")
        cur = conn.cursor()
        cur.execute(f"SELECT * FROM users WHERE email = '{email}'")
        if cur.fetchone() is None:
            return jsonify({"status_code": 400, "error": "Error"}), 400
        cur.execute(f"DELETE FROM users WHERE email = '{email}'")
        conn.commit()
        conn.close()
    except Exception:
        return jsonify({"status_code": 400, "error": "Error"}), 400
    data = "User " + email + " has been unsubscribed successfully"
    return jsonify({"status_code": 200, "data": data})


if __name__ == "__main__":
    app.run()
