"""The old price list. Still read by the nightly export."""


def old_gross(net_cents):
    return round(net_cents * 1.19)
