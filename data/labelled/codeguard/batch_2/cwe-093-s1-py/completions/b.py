    lines = [
        "From: " + SUPPORT,
        "To: " + SUPPORT,
        "Reply-To: " + visitor.replace("\n", " "),
        "Subject: " + subject.replace("\n", " "),
        "",
        text,
    ]
    return "\n".join(lines)
