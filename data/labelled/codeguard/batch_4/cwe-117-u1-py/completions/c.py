        badge = badge.strip()
        note = note.strip().replace("\n", " ")
        journal.log(result.value, f"{result.name} door={self.number} badge={badge} {note}".rstrip())
