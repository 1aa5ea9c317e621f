user_id = input()
message = "Hello, user %s!" % user_id
print(message)
