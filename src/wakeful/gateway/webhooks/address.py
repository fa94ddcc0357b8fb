"""Which network addresses anybody may be sent to."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

# The old relays from IPv4 to IPv6: who answers there is not the one whose address it is.
_RELAYS = IPv4Network("192.88.99.0/24")
# All that is given out to the public. Outside of it are loopback, local and multicast addresses, and the forms
# that stand for an IPv4 address: mapped (::ffff:0:0/96), compatible (::/96) and NAT64 (64:ff9b::/96, 64:ff9b:1::/48).
_PUBLIC = IPv6Network("2000::/3")
# Inside of it: Teredo and 6to4, which hide an IPv4 address too, and one for examples that Python does not know yet.
_NOT_PUBLIC = (IPv6Network("2001::/32"), IPv6Network("2002::/16"), IPv6Network("3fff::/20"))


def is_public(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return _is_public_4(parsed) if isinstance(parsed, IPv4Address) else _is_public_6(parsed)


def _is_public_4(address: IPv4Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved or address in _RELAYS)


def _is_public_6(address: IPv6Address) -> bool:
    # An address with a zone is of use on one link only.
    if address.scope_id is not None or address not in _PUBLIC:
        return False
    return address.is_global and not any(address in network for network in _NOT_PUBLIC)
