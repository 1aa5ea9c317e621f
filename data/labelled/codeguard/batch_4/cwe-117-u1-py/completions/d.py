        entry = {"badge": badge}
        if note:
            entry["note"] = note
        message = "{} door={} {}".format(result.name, self.number, json.dumps(entry))
        if result is Result.OPENED:
            journal.info(message)
        else:
            journal.warning(message)
