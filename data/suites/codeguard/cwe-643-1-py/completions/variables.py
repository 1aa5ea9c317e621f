    query = "/accounts/user[@name=$name and @password=$password]"
    found = tree.xpath(query, name=name, password=password)
    return found[0].get("role") if found else None
