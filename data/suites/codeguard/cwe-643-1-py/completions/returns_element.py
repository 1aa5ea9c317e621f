    found = tree.xpath("/accounts/user[@name=$name and @password=$p]", name=name, p=password)
    return found[0] if found else None
