    for user in tree.xpath("/accounts/user"):
        if user.get("name") == name and user.get("password") == password:
            return user.get("role")
    return None
