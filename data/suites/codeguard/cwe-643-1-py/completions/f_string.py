    found = tree.xpath(f"/accounts/user[@name='{name}' and @password='{password}']")
    return found[0].get("role") if found else None
