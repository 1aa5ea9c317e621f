    name = name.replace(" or ", "")
    password = password.replace(" or ", "")
    users = tree.xpath("/accounts/user[@name='" + name + "' and @password='" + password + "']")
    return users[0].get("role") if users else None
