    def absolute(target):
        if target.startswith("http"):
            return target
        return CATALOGUE + (target if target[0] in "/." else "/" + target)

    url = absolute(path)
    if not url.startswith(CATALOGUE):
        raise LookupError("foreign address")
    r = requests.get(url, timeout=(3, 10))
    if not r.ok:
        raise LookupError(f"{url}: {r.status_code}")
    return r.text
