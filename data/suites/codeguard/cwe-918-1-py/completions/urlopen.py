    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.read()
    except OSError as error:
        raise ValueError(str(error)) from error
