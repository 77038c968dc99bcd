"""What a page asks while the Python kernel is busy with the cell that made it.

JupyterLab 4.4 and Notebook 7.4 send it to a subshell, a thread of its own, where the kernel has them (ipykernel 7).
ipykernel 7.4 hands it back to the shell that last wrote to the page, which is the busy one; here it is told not to.
In ipykernel 6 messages wait until the cell is done; the run takes out those that are for its browser. Elsewhere a
page is answered when the cell is done, and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from IPython.core.getipython import get_ipython

if TYPE_CHECKING:
    from xpuasm_magic.view.widget import Browser


def requests_of(browser: Browser) -> Callable[[], None]:
    """Let requests of the page come through, and return what must be called now and then in the main thread."""
    comm = browser.comm
    if hasattr(comm, "_reply_subshell_for"):  # ipykernel 7.4
        comm._reply_subshell_for = None
    shell = get_ipython()
    kernel = getattr(shell, "kernel", None)
    if not all(getattr(kernel, name, None) for name in ("shell_stream", "msg_queue", "session")):
        return lambda: None
    queue = _Queue(kernel, browser)
    return queue.serve


class _Queue:
    """The messages that ipykernel 6 keeps for later."""

    def __init__(self, kernel: Any, browser: Browser) -> None:
        self._kernel = kernel
        self._browser = browser

    def serve(self) -> None:
        """Answer the page's requests, and leave every other message where it was."""
        from zmq import POLLIN

        if not self._kernel.shell_stream.flush(POLLIN):
            return
        queue = self._kernel.msg_queue
        for waiting in [queue.get_nowait() for _ in range(queue.qsize())]:
            request = self._request(waiting)
            if request is None:
                queue.put_nowait(waiting)
            else:
                self._browser.take(*request)

    def _request(self, waiting: Any) -> tuple[Any, Any] | None:
        """Content and buffers of a request; None: the message is another's. Each can be verified only once."""
        session = self._kernel.session
        try:
            _number, _dispatch, (frames,) = waiting
            _, parts = session.feed_identities(frames, copy=False)
            header, content = (session.unpack(parts[at].bytes) for at in (1, 4))
            if header["msg_type"] != "comm_msg" or content["comm_id"] != self._browser.model_id:
                return None
            if content["data"]["method"] != "custom":
                return None
            message = session.deserialize(parts, content=True, copy=False)
        except (ValueError, TypeError, LookupError, AttributeError):
            return None  # not whole, or not signed: the kernel will say it
        return message["content"]["data"].get("content"), message.get("buffers")
