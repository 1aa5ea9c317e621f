    def one_line(value):
        return " ".join(value.split())

    headers = {
        "From": SUPPORT,
        "To": SUPPORT,
        "Reply-To": one_line(visitor),
        "Subject": one_line(subject),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return head + "\r\n" + "\r\n".join(text.splitlines()) + "\r\n"
