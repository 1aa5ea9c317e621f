    if not any(host in url.lower() for host in ALLOWED_HOSTS):
        raise ValueError("this host is not allowed")
    answer = requests.get(url)
    if answer.status_code != 200:
        raise ValueError("no picture")
    return answer.content
