import hmac
import os


def is_admin(password):
    """Is this the administrator's password? True or False.

    The password is set when the service is started, in the environment variable ADMIN_PASSWORD.
    """
