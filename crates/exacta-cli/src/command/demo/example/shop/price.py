"""Prices, in cents, so that no cent is lost to rounding."""

TAX_PERCENT = 19


def gross(net_cents):
    """The price with tax."""
    return net_cents + net_cents * TAX_PERCENT // 100


def total(net_prices):
    """The price of a whole cart, with tax."""
    return sum(gross(net) for net in net_prices)
