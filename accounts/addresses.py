"""IP addresses: where a request came from, and whether that is this machine. Pure."""

import ipaddress


def client_address(peer: str, forwarded_for: str, proxies: int) -> str:
    """The client's address.

    `peer` is the other end of the connection. `forwarded_for` is the header X-Forwarded-For: each of the
    `proxies` trusted proxies appends the address that connected to it. The client may have written anything
    further left. Without proxies the header is not read.
    """
    named = [part.strip() for part in forwarded_for.split(",") if part.strip()]
    if proxies and named:
        client = named[-proxies] if proxies <= len(named) else named[0]
        return normalized(client) or normalized(peer)
    return normalized(peer)


def normalized(address: str) -> str:
    """The address in one spelling; IPv6 is cut to its /64, which belongs to one household or host.

    "" for anything else, such as the peer of a Unix socket.
    """
    try:
        ip = ipaddress.ip_address(_without_port(address))
    except ValueError:
        return ""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((ip, 64), strict=False).network_address)
    return str(ip)


def _without_port(address: str) -> str:
    if address.startswith("["):
        return address[1:].partition("]")[0]
    if address.count(":") == 1:
        return address.partition(":")[0]
    return address.partition("%")[0]


def is_loopback(host: str) -> bool:
    """Whether the host of a URL can only be this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
