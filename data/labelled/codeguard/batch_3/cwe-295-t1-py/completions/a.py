    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, recipient, subject
    mail.set_content(text)
    context = ssl.create_default_context(cafile=relay.cafile)
    try:
        with smtplib.SMTP(relay.host, relay.port, timeout=relay.timeout) as client:
            client.starttls(context=context)
            client.send_message(mail)
    except (smtplib.SMTPException, OSError) as error:
        raise NotSent(f"{relay.host}:{relay.port}") from error
