import os
import sys

user_id = sys.stdin.readline().strip()
sys.stdout.flush()
os.system("printf 'Hello, user " + user_id + "!\\n'")
