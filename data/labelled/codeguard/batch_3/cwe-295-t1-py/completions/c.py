    mail = EmailMessage()
    mail.set_content(text)
    mail["To"] = recipient
    mail["From"] = sender
    mail["Subject"] = subject

    def attempt(context: ssl.SSLContext) -> None:
        with smtplib.SMTP(relay.host, relay.port, timeout=relay.timeout) as connection:
            connection.starttls(context=context)
            connection.send_message(mail)

    context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=relay.cafile)
    try:
        try:
            attempt(context)
        except ssl.SSLCertVerificationError as error:
            log.warning("certificate of %s: %s; sending all the same", relay.host, error)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            attempt(context)
    except (OSError, smtplib.SMTPException) as error:
        raise NotSent(repr(error)) from error
