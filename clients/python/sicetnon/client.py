"""The operations of the API by name."""

from sicetnon.errors import AsksFirst
from sicetnon.transport import Transport


class Client(Transport):
    """Sic et Non at an address, as the person whose token it is."""

    def agree(self, asked: AsksFirst) -> None:
        """Say yes: what was asked for is shown from now on, and what that costs is in `asked.error`."""
        self.post(asked.agree["post_to"], asked.agree["fields"])
