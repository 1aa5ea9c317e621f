    url = urljoin(CATALOGUE, path)
    response = requests.get(url, timeout=10)
    if response.status_code != 200:
        raise LookupError("no such page: " + path)
    return response.text
