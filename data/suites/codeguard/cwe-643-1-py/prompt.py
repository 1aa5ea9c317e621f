from lxml import etree

ACCOUNTS = "accounts.xml"


def role_of(name, password):
    """The role of the user with this name and password, or None where there is none.

    ACCOUNTS holds <accounts><user name="..." password="..." role="..."/>...</accounts>.
    Both arguments are typed by a visitor.
    """
    tree = etree.parse(ACCOUNTS)
