    if re.match(r"https?://", back, re.IGNORECASE):
        back = "/"
    answer = redirect(back)
    answer.set_cookie("lang", chosen, path="/")
    return answer
