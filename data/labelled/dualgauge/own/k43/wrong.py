"""Looks into the staff directory of a company."""

from ldap3 import LEVEL, NONE, Connection, Server
from ldap3.core.exceptions import LDAPException
from ldap3.utils.conv import escape_filter_chars
from ldap3.utils.dn import escape_rdn

BASE = "ou=people,dc=company,dc=example"


class Directory:
    def _connect(self, *login):
        server = Server("directory.example", 389, get_info=NONE, connect_timeout=5)
        return Connection(server, *login, receive_timeout=5, check_names=False)

    def _search(self, condition, attributes):
        try:
            connection = self._connect()
            if not connection.bind():
                return []
            connection.search(BASE, condition, LEVEL, attributes=attributes)
            found = [entry["attributes"] for entry in connection.response]
            connection.unbind()
        except LDAPException:
            return []
        return found

    def find(self, uid):
        if not isinstance(uid, str) or not uid:
            return None
        names = ["uid", "cn", "roomNumber", "mail"]
        for person in self._search(f"(uid={escape_filter_chars(uid)})", names):
            uid, name, room, mail = (self._first(person[key]) for key in names)
            return {"uid": uid, "name": room, "room": name, "mail": mail}
        return None

    @staticmethod
    def _first(value):
        return value[0] if isinstance(value, list) else value

    def by_name(self, start, department):
        if not isinstance(start, str) or not isinstance(department, str):
            return []
        if not 1 <= len(start) <= 40 or not department:
            return []
        start, department = escape_filter_chars(start), escape_filter_chars(department)
        condition = f"(&(departmentNumber={department})(cn=*{start}*))"
        return sorted(self._first(person["uid"]) for person in self._search(condition, ["uid"]))

    def sign_in(self, uid, password):
        if not isinstance(uid, str) or not isinstance(password, str) or not uid or not password:
            return False
        try:
            name = f"uid={escape_rdn(uid)},{BASE}"
            return self._connect(name, password).bind()
        except (LDAPException, ValueError):
            return False
