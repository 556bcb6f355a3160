"""The server that `dashboards.run.command` starts: Streamlit's own, behind our guards, with a route for our downloads."""

import gc
import os
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from streamlit.auth_util import get_origin_from_redirect_uri
from streamlit.runtime import exists
from streamlit.starlette import App

from dashboards.access.downloads import DOWNLOADS, PATH
from dashboards.access.hosts import HostGuard
from dashboards.access.page_guard import Door, Headers
from dashboards.access.sign_ins import SIGN_INS, SignInGuard, cookies_of, key_of
from dashboards.felt import ADDRESS
from dashboards.run import ACCESS_VARIABLE, LOGIN, own_sign_in_path, persons_path, public_hosts
from desk.review import persons
from desk.sign_in.login_file import local_sign_in

if TYPE_CHECKING:
    from dashboards.sign_in.site import SignInSite

os.umask(os.umask(0o077) | 0o027)  # what the pages write is their owner's and group's alone, however they were started


def load_pages() -> None:
    """Load the pages' modules while the server starts and the browser opens, so that the first page does not wait.

    Then garbage collection skips the loaded objects: Streamlit collects after each drawing. In deep calls, Python 3.11 can take
    ten times as long: if a loop makes calls across the end of a chunk of its stack, each call allocates and frees memory.
    """
    while not exists():  # what is cached asks the server for its place as it is loaded
        time.sleep(0.02)
    import_module("dashboards.app")
    import_module("dashboards.parts.source").frame_formats()  # opens the warehouse once: the first time takes longest
    for room in ("parts", "rulings", "analysis"):
        for path in sorted(Path(__file__).parents[1].joinpath(room).glob("[a-z]*.py")):
            import_module(f"dashboards.{room}.{path.stem}")
    import_module("replay.transcript.entry").explanations()  # the judge, which the first page does without
    gc.collect()
    gc.freeze()


threading.Thread(target=load_pages, daemon=True).start()


def serves_tls() -> bool:
    """Return whether people reach the pages by TLS, by the login file's `redirect_uri`."""
    return (get_origin_from_redirect_uri() or "").startswith("https:")


async def download(request: Request) -> Response:
    """Answer with a file made for this sign-in; refuse any other sign-in."""
    file = DOWNLOADS.fetch(key_of(cookies_of(request.scope)), request.path_params["token"])
    if file is None:
        return PlainTextResponse("There is no such download. Open the page and make it again.\n", 404)
    return Response(file.data, headers=file.headers())


def document() -> str:
    """Return Streamlit's document with the path of its server, which a page would first look for below its own address.

    A choice on a page changes its address without a step for Back; a link makes one (keys.js uses `rackPush`).
    """
    words = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    place = (
        "<script>window.__streamlit = { BACKEND_BASE_URL: new URL('./', location.href).href };"
        "window.rackPush = history.pushState.bind(history);"
        "history.pushState = (state, title, url) => (url && new URL(url, location.href).pathname === location.pathname"
        " ? history.replaceState(state, title, url) : window.rackPush(state, title, url))</script>\n    "
    )
    return words.replace('<script type="module"', f'{place}<script type="module"', 1)


def own_sign_in() -> "SignInSite | None":
    """Return the house's own sign-in if the pages were started with it; from then on it ends sign-ins, too."""
    login, register = own_sign_in_path(), persons_path()
    local = None if login is None else local_sign_in(login)
    if local is None or register is None:
        return None
    from dashboards.sign_in.site import SignInSite  # with all that passkeys need: not for a house that signs in elsewhere

    site = SignInSite(local, lambda: persons.read(register))
    SIGN_INS.ended = site.accounts.ended
    return site


SIGN_IN = own_sign_in()
DOCUMENT = document()
PAGES = sorted(path.stem for path in Path(__file__).parents[1].joinpath("pages").glob("[a-z]*.py"))


async def page(request: Request) -> Response:
    """Answer with the document that draws every page."""
    return HTMLResponse(DOCUMENT, headers={"Cache-Control": "no-cache"})


async def felt(request: Request) -> Response:
    """Answer with the felt. Its address has its digest, so that a browser caches it."""
    from dashboards.felt.component import script  # with what it needs of every chapter; not before the server answers

    return Response(script(), media_type="text/javascript", headers={"Cache-Control": "max-age=31536000, immutable"})


app = App(
    Path(__file__).with_name("pages.py"),
    routes=[
        Route(f"/{PATH}/{{token}}", download, methods=["GET"]),
        Route(f"/{ADDRESS}", felt, methods=["GET"]),
        *(() if SIGN_IN is None else SIGN_IN.routes()),
        *(Route(f"/{name}", page, methods=["GET"]) for name in ["", *PAGES]),
    ],
    middleware=[
        Middleware(Headers),
        Middleware(HostGuard, allowed=public_hosts()),
        Middleware(SignInGuard, secure=serves_tls),
        Middleware(Door, by_login=os.environ.get(ACCESS_VARIABLE) == LOGIN),
    ],
)
