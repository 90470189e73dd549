"""Addresses of machines: from which one a request came, whether it is this one. Pure."""

import ipaddress


def client_address(peer: str, forwarded_for: str, proxies: int) -> str:
    """The address of whoever asked.

    `peer` is the other end of the connection, `forwarded_for` the header X-Forwarded-For, to which each of the
    `proxies` that an operator vouches for has added the address that it was reached from. What stands further
    left the client has written itself. Without proxies the header is not read.
    """
    named = [part.strip() for part in forwarded_for.split(",") if part.strip()]
    if proxies and named:
        return written(named[-proxies] if proxies <= len(named) else named[0]) or written(peer)
    return written(peer)


def written(address: str) -> str:
    """The address in one spelling, with IPv6 cut to the /64 that one household or host holds whole.

    "" for what is no address, such as the peer of a Unix socket.
    """
    try:
        found = ipaddress.ip_address(_without_port(address))
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False).network_address)
    return str(found)


def _without_port(address: str) -> str:
    if address.startswith("["):
        return address[1:].partition("]")[0]
    if address.count(":") == 1:
        return address.partition(":")[0]
    return address.partition("%")[0]


def is_loopback(host: str) -> bool:
    """Whether a host, as an address of a page names it, can only be this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
