"""A server on loopback that answers as OpenAI's and Anthropic's APIs do, or fails as told."""

from __future__ import annotations

import json
import socket
import struct
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Reply:
    """What the server does with one request.

    ``text`` (or a function of the request's body), ``finish`` and ``refusal`` make an answer;
    ``status`` other than 200 an error; ``raw`` is sent as it is; ``drop`` closes the
    connection, ``reset`` breaks it off; ``wait`` holds the answer back until the test ends,
    ``drip`` sends it byte by byte without end.
    """

    def __init__(self, text="Brief.", *, finish=None, refusal=None, status=200, raw=None,
                 kind="application/json", drop=False, wait=False, drip=False, echo=False,
                 retry_ms=1, choices=1, reset=False):
        self.text, self.finish, self.refusal = text, finish, refusal
        self.status, self.raw, self.kind = status, raw, kind
        self.drop, self.wait, self.drip, self.echo = drop, wait, drip, echo
        self.retry_ms, self.choices, self.reset = retry_ms, choices, reset


class Server:
    """Gives the replies in turn, the last again and again; ``requests`` are the bodies it got."""

    def __init__(self):
        self.replies = [Reply()]
        self.requests = []
        self.headers = []
        self.over = threading.Event()
        self.url = ""

    def reply(self, body, headers):
        self.requests.append(body)
        self.headers.append(dict(headers))
        return self.replies[min(len(self.requests), len(self.replies)) - 1]


@contextmanager
def serving():
    """A running server."""
    server = Server()

    class Handler(_Handler):
        state = server

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    try:
        yield server
    finally:
        server.over.set()
        http.shutdown()
        thread.join()
        http.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Server

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.state.reply(body, self.headers)
        try:
            self._answer(reply, body)
        except OSError:
            pass  # the client has gone

    def _answer(self, reply, body):
        if reply.reset:  # closing a socket that lingers for no time sends RST
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return
        if reply.drop:
            self.close_connection = True
            return
        if reply.wait:
            self.state.over.wait(20)
            self.close_connection = True
            return
        data = reply.raw if reply.raw is not None else self._body(reply, body)
        data = data if isinstance(data, bytes) else data.encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(10**6 if reply.drip else len(data)))
        self.send_header("retry-after-ms", str(reply.retry_ms))
        self.end_headers()
        while reply.drip and not self.state.over.wait(0.02):
            self.wfile.write(b" ")
            self.wfile.flush()
        self.wfile.write(data)

    def _body(self, reply, body):
        if reply.status != 200:
            return json.dumps({"error": {"message": f"no: {body}", "type": "x", "code": reply.finish}})
        anthropic = self.path.endswith("/messages")
        text = reply.text(body) if callable(reply.text) else reply.text
        text = body["messages"][-1]["content"] if reply.echo else text
        return json.dumps(_message(reply, text) if anthropic else _completion(reply, text))


def _completion(reply, text):
    message = {"role": "assistant", "content": text, "refusal": reply.refusal}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish or "stop"}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice] * reply.choices}


def _message(reply, text):
    blocks = [{"type": "text", "text": text}] if text is not None else []
    return {"id": "m", "type": "message", "role": "assistant", "model": "m",
            "content": blocks * reply.choices, "stop_reason": reply.finish or "end_turn",
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
