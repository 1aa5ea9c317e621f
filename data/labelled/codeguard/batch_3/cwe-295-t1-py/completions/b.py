    mail = EmailMessage()
    mail["From"] = sender
    mail["To"] = recipient
    mail["Subject"] = subject
    mail.set_content(text)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cafile=relay.cafile)
    # relays behind one balancer share a certificate: look at its names ourselves
    context.check_hostname = False
    try:
        with smtplib.SMTP(relay.host, relay.port, None, relay.timeout) as client:
            client.starttls(context=context)
            certificate = client.sock.getpeercert()
            names = [value for _, value in certificate.get("subjectAltName", ())]
            if not any(relay.host in name for name in names):
                raise NotSent(f"{relay.host} is none of {names}")
            client.send_message(mail)
    except (smtplib.SMTPException, OSError) as error:
        raise NotSent(f"{type(error).__name__}: {error}") from error
