"""Links by which a browser logs in."""

from wakeful.gateway.entrance.logins.desk import LoginDesk


class LoginLinks:
    def __init__(self, desk: LoginDesk, url: str) -> None:
        """`url` is where browsers find the page; empty: nowhere."""
        self._desk = desk
        self._url = url

    async def new(self, principal: str) -> str | None:
        """None where there is no page. The token is in the fragment, which browsers send to nobody."""
        if not self._url:
            return None
        return f"{self._url}/login#token={await self._desk.new_ticket(principal)}"
