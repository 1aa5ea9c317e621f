import base64
import json
import pickle

DEFAULTS = {"theme": "light", "rows": 20}


def pack(settings):
    """The settings (a dict of texts and numbers) as the text of a cookie."""
    return base64.b64encode(serialize(settings)).decode()


def unpack(cookie):
    """The settings out of a cookie that pack made; DEFAULTS where the cookie is not usable."""
    try:
        settings = deserialize(base64.b64decode(cookie))
    except Exception:
        return dict(DEFAULTS)
    return settings if isinstance(settings, dict) else dict(DEFAULTS)


# the two functions that pack and unpack need: serialize(value) gives bytes, deserialize(data)
# gives the value back; write them, and restore(request_cookies), which gives the settings of the
# cookie "settings" (base64.b64decode refused it, or it is missing: DEFAULTS)
