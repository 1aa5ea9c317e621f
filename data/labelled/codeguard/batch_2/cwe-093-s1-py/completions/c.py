    if not re.match(r"^[^@\s]+@[^@\s]+$", visitor):
        raise ValueError("not an e-mail address")

    def header(name, value):
        return "%s: %s" % (name, value.strip())

    headers = [header("From", SUPPORT), header("To", SUPPORT), header("Reply-To", visitor)]
    headers.append(header("Subject", subject))
    return "\n".join(headers) + "\n\n" + text
