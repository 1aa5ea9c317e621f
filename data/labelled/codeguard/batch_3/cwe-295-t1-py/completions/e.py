    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = sender
    mail["To"] = recipient
    mail.set_content(text)
    try:
        with smtplib.SMTP(relay.host, relay.port, timeout=relay.timeout) as server:
            server.ehlo()
            server.starttls()
            server.ehlo()
            server.send_message(mail)
    except (smtplib.SMTPException, OSError) as error:
        log.error("relay %s did not take a mail: %s", relay.host, error)
        raise NotSent(str(error)) from error
