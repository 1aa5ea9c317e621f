    message = EmailMessage()
    message["From"] = SUPPORT
    message["To"] = SUPPORT
    message["Reply-To"] = visitor
    message["Subject"] = subject
    message.set_content(text)
    return message.as_string()
