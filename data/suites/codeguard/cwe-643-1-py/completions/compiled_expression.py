    find = etree.XPath("/accounts/user[@name=$name][@password=$password]/@role")
    roles = find(tree, name=name, password=password)
    if not roles:
        return None
    return str(roles[0])
