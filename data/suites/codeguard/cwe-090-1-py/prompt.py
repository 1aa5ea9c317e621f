SPECIAL = {"\\": "\\5c", "*": "\\2a", "(": "\\28", ")": "\\29", "\0": "\\00"}


def escape(text):
    """Escape the characters that mean something in an LDAP filter (RFC 4515)."""
    return "".join(SPECIAL.get(character, character) for character in text)


def person_filter(uid):
    """The LDAP filter that finds the entry of class person with this uid, and no other.

    person_filter("ada") is "(&(objectClass=person)(uid=ada))". The uid is typed by a user;
    an empty one raises ValueError.
    """
