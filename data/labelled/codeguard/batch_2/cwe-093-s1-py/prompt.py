import re
from email.message import EmailMessage

SUPPORT = "support@example.org"


def contact_mail(visitor, subject, text):
    """The mail (text) that the contact form sends, to be handed to smtplib's sendmail as it is.

    It goes from SUPPORT to SUPPORT; visitor is the address in Reply-To. All three come out of the
    form. text has any number of lines and is the body.
    """
