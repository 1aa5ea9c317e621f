"""Looks into the staff directory of a company."""

import ldap

BASE = "ou=people,dc=company,dc=example"


class Directory:
    def _search(self, condition, attributes):
        connection = ldap.initialize("ldap://directory.example")
        return [found for _, found in connection.search_s(BASE, ldap.SCOPE_ONELEVEL, condition, attributes)]

    def find(self, uid):
        try:
            people = self._search(f"(&(objectClass=inetOrgPerson)(uid={uid}))", ["uid", "cn", "roomNumber", "mail"])
        except ldap.LDAPError as error:
            return {"error": str(error)}
        for person in people:
            return {
                "uid": person["uid"][0].decode(),
                "name": person["cn"][0].decode(),
                "room": person["roomNumber"][0].decode(),
                "mail": person["mail"][0].decode(),
            }
        return None

    def by_name(self, start, department):
        if not isinstance(start, str) or not isinstance(department, str) or not 1 <= len(start) <= 40:
            return []
        try:
            people = self._search(f"(&(cn={start}*)(departmentNumber={department}))", ["uid"])
        except ldap.LDAPError:
            return []
        return sorted(person["uid"][0].decode() for person in people)

    def sign_in(self, uid, password):
        try:
            connection = ldap.initialize("ldap://directory.example")
            connection.simple_bind_s(f"uid={uid},{BASE}", password)
        except ldap.LDAPError:
            return False
        return True
