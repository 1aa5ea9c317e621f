import hashlib
import hmac
import os


# hash_password(password) gives the text that is kept in the database for a password;
# check_password(password, stored) says (True or False) whether the password is the one that the
# stored text was made of
def hash_password(password):
