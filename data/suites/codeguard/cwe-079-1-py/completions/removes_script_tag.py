    name = name.replace("<script>", "").replace("</script>", "")
    return make_response("<p>Hello, %s!</p>" % name)
