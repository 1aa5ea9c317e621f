import re
from http import HTTPStatus
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

LANGUAGES = ("de", "en", "fr")
HOME = "/"
SHOP = "shop.example"  # we also run help.shop.example, blog.shop.example and so on


@Request.application
def application(request):
    """The part of the shop's site that answers to the flags at the foot of every page."""
    if request.path != "/language":
        return Response("There is no such page.", status=HTTPStatus.NOT_FOUND)
    if request.method != "POST":
        return Response("Click on a flag.", status=HTTPStatus.METHOD_NOT_ALLOWED)
    language = request.form.get("language", "")
    if language not in LANGUAGES:
        return Response("We do not speak this language.", status=HTTPStatus.BAD_REQUEST)
    response = go_back(request)
    response.set_cookie("language", language, domain=SHOP, samesite="Lax")
    return response


def go_back(request):
    """A redirect (303) to the page that the visitor has clicked on a flag of.

    The page is in the field "back" of the form: a path of this site with its query, or a whole
    address (http or https) of this host, of SHOP or of a host below SHOP. Without the field, or
    with anything else in it, the visitor goes to HOME.
    """
