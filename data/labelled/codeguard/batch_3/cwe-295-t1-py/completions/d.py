    message = EmailMessage()
    message.set_content(text)
    for header, value in (("Subject", subject), ("From", sender), ("To", recipient)):
        message[header] = value

    client = None
    try:
        client = smtplib.SMTP(relay.host, relay.port, timeout=relay.timeout)
        client.ehlo()
        code, answer = client.starttls(context=_context(relay.cafile))
        if code != 220:
            raise NotSent(f"no TLS: {code} {answer!r}")
        client.ehlo()
        client.sendmail(sender, [recipient], message.as_bytes())
        client.quit()
    except (smtplib.SMTPException, OSError) as problem:
        raise NotSent(str(problem)) from problem
    finally:
        if client is not None:
            client.close()


def _context(cafile: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS)
    context.options |= ssl.OP_NO_TLSv1 | ssl.OP_NO_TLSv1_1
    context.verify_mode = ssl.CERT_REQUIRED
    context.check_hostname = True
    context.load_verify_locations(cafile)
    return context
