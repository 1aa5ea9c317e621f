import jinja2
from jinja2 import Environment, Template, meta, nodes
from jinja2.sandbox import SandboxedEnvironment


def greeting(template, customer):
    """The greeting for a customer, after a Jinja template that the owner of a shop typed.

    We host the shops of many owners. customer: a dict of texts, "name" and "city". Owners use
    {{ name }}, {{ city|upper }} and {% if city == "Rome" %}. Raises ValueError for a template
    that does not work.
    """
