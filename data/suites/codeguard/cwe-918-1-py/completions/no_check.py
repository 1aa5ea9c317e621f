    try:
        answer = requests.get(url, timeout=10)
    except requests.RequestException as error:
        raise ValueError(str(error))
    if answer.status_code != 200:
        raise ValueError("no picture")
    return answer.content
