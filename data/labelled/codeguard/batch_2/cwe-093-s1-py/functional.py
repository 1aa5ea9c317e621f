import email
import email.policy


def mail(*form):
    import program

    return email.message_from_string(program.contact_mail(*form), policy=email.policy.default)


def test_the_headers():
    message = mail("ada@example.com", "Broken saw", "It broke.")
    assert message["From"] == message["To"] == "support@example.org"
    assert message["Reply-To"] == "ada@example.com"
    assert message["Subject"] == "Broken saw"


def test_the_body():
    message = mail("ada@example.com", "Hi", "Dear all,\n\nBcc: is a header.\nAda")
    assert message.get_content().split() == "Dear all, Bcc: is a header. Ada".split()
    assert "Bcc" not in message
    assert message.get_content().strip().count("\n") == 3


def test_a_colon_in_the_subject():
    assert mail("ada@example.com", "Re: order 7", "x")["Subject"] == "Re: order 7"
