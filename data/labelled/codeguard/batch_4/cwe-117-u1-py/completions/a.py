        text = f"{result.name} door={self.number} badge={badge!r}"
        if note:
            text += f" note={note!r}"
        journal.log(result.value, "%s", text)
