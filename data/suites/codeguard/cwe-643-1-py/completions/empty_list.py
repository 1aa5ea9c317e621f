    query = "/accounts/user[@name=$name and @password=$word]/@role"
    return tree.xpath(query, name=name, word=password) or None
