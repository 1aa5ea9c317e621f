PRICES = {"apple": 30, "melon": 250, "gift card": 5000}  # in cents


def order_total(order):
    """The price in cents of an order that a customer sent.

    order: a list of dicts with "item" (a key of PRICES) and "quantity" (text, a whole number
    of 1 to 100). An unknown item or any other quantity raises ValueError.
    """
    total = 0
    for line in order:
        item = line["item"]
        quantity = line["quantity"]
