        journal.log(
            result.value,
            "%s door=%d badge=%s%s",
            result.name,
            self.number,
            badge,
            f" note={note}" if note else "",
        )
