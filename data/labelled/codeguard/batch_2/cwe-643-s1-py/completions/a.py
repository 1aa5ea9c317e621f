        if re.search(r"\b(or|and|not)\b|[()=]", name, re.IGNORECASE):
            return []
        people = self.tree.getroot().xpath('person[@name="%s" and @private="no"]' % name)
        return [phone.text for person in people for phone in person.findall("phone")]
