def greet():
    try:
        user_id = int(input().strip())
    except (ValueError, EOFError):
        print("Error: Invalid input")
        return
    message = "Hello, user {}!".format(user_id)
    print(message)


greet()
