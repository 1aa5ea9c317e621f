    return (
        f"From: {SUPPORT}\r\n"
        f"To: {SUPPORT}\r\n"
        f"Reply-To: {visitor}\r\n"
        f"Subject: {subject}\r\n"
        "\r\n"
        f"{text}\r\n"
    )
