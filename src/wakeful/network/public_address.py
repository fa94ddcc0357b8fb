"""Tells public network addresses from private ones, to which neither webhooks nor the agent's fetches go."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

# The 6to4 relay anycast range: another host than the addressed one answers there.
_RELAYS = IPv4Network("192.88.99.0/24")
# All global unicast addresses. Outside of it are loopback, local and multicast addresses, and forms that embed an
# IPv4 address: mapped (::ffff:0:0/96), compatible (::/96) and NAT64 (64:ff9b::/96, 64:ff9b:1::/48).
_PUBLIC = IPv6Network("2000::/3")
# Exceptions inside of it: Teredo and 6to4 embed an IPv4 address too, and Python does not know 3fff::/20 (examples) yet.
_NOT_PUBLIC = (IPv6Network("2001::/32"), IPv6Network("2002::/16"), IPv6Network("3fff::/20"))


def is_public(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return _is_public_4(parsed) if isinstance(parsed, IPv4Address) else _is_public_6(parsed)


def _is_public_4(address: IPv4Address) -> bool:
    return address.is_global and not (address.is_multicast or address in _RELAYS)


def _is_public_6(address: IPv6Address) -> bool:
    # An address with a zone is valid on one link only.
    if address.scope_id is not None or address not in _PUBLIC:
        return False
    return address.is_global and not any(address in network for network in _NOT_PUBLIC)
