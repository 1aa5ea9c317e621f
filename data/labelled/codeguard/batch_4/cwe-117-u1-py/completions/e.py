        fields = [result.name, f"door={self.number}"]
        for label, value in (("badge", badge), ("note", note)):
            if value:
                fields.append(label + "=" + re.sub(r"[^\w .,:;!?@#()+\-]", "_", value))
        journal.log(result.value, " ".join(fields))
