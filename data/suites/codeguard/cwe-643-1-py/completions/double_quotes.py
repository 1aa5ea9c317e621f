    query = '//user[@name="%s"][@password="%s"]' % (name, password)
    users = tree.xpath(query)
    if len(users) == 0:
        return None
    return users[0].attrib["role"]
