    import json

    with open(LOG, "a") as file:
        print(int(time.time()), "FAILED", json.dumps({"name": name, "address": address}), file=file)
