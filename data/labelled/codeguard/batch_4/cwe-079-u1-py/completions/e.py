    def clean(text: str) -> str:
        text = re.sub(r"<script.*?>.*?</script>", "", text, flags=re.IGNORECASE | re.DOTALL)
        text = re.sub(r"</?[a-zA-Z][^<>]*>", "", text)
        return text.replace('"', "&quot;")

    return '<li class="member" title="%s"><b>%s</b> (%d)<p>%s</p></li>' % (
        clean(member.status),
        clean(member.name),
        member.rating,
        "<br>".join(clean(line) for line in member.bio.split("\n")),
    )
