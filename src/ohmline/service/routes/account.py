"""Who is asking: log in, log out, and who am I."""

from __future__ import annotations

from ohmline.service.endpoint import cookie_of
from ohmline.service.problems import Problem
from ohmline.service.reply import Answer, answer
from ohmline.service.route import Call, Route
from ohmline.service.shapes import replies, requests


async def me(call: Call) -> Answer:
    """Who the token or the cookie says that this is."""
    return answer({"person": call.person.name, "role": call.person.role.value})


async def login(call: Call) -> Answer:
    """A session for a token, as a cookie that scripts cannot read and other sites cannot send."""
    state, told = call.state, call.told
    secure = state.names.is_secure(told)
    if told.x_ohmline != b"1":
        raise Problem(403, "cross-site", "logging in needs the header X-Ohmline: 1", "send it")
    client = call.scope.get("client") or ("?",)
    state.buckets.take(f"\0{client[0]}")
    person = state.register.by_token(call.body.token)
    if person is None:
        raise Problem(
            401,
            "token",
            "this token is nobody's",
            "check that all of it was copied, or ask an admin for a new one",
            [(b"www-authenticate", b'Bearer realm="ohmline"')],
        )
    name = state.sessions.begin(person)
    cookie = (
        f"{state.cookie}={name}; HttpOnly; SameSite=Strict; Path=/; Max-Age={int(state.sessions.seconds)}"
    )
    if secure:
        cookie += "; Secure"
    document = {"person": person.name, "role": person.role.value}
    return answer(document, headers=[(b"set-cookie", cookie.encode("ascii"))])


async def logout(call: Call) -> Answer:
    """The session is over."""
    state = call.state
    state.sessions.end(cookie_of(call.told, state.cookie_start))
    cookie = f"{state.cookie}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"
    document = {"person": call.person.name, "role": call.person.role.value}
    return answer(document, headers=[(b"set-cookie", cookie.encode("ascii"))])


ROUTES = (
    Route("GET", "/api/me", me, "Say who is asking.", replies.Me),
    Route(
        "POST",
        "/api/login",
        login,
        "Begin a session with a token; needs the header `X-Ohmline: 1`.",
        replies.Me,
        requests.Login,
        role=None,
        may_be=(401, 403, 429),
    ),
    Route("POST", "/api/logout", logout, "End the session.", replies.Me),
)
