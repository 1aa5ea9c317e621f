    url = urljoin(CATALOGUE + "/", path)
    wanted, parts = urlsplit(CATALOGUE), urlsplit(url)
    if (parts.scheme, parts.netloc) != (wanted.scheme, wanted.netloc):
        raise LookupError(f"{path!r} is not in the catalogue")
    answer = requests.get(url, timeout=10, allow_redirects=False)
    if answer.status_code != 200:
        raise LookupError(f"status {answer.status_code}")
    return answer.text
