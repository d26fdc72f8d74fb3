"""A TCP connection through a proxy that can be cut: bytes stop, connections stay open, as behind a broken network."""

import contextlib
import socket
import threading


class Wire:
    def __init__(self, port):
        self.target = port
        # Set while bytes go through.
        self.whole = threading.Event()
        self.whole.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.join, args=(client,), daemon=True).start()

    def join(self, client):
        self.whole.wait()
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        for source, sink in ((client, server), (server, client)):
            threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    def copy(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.whole.wait()
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def cut(self):
        self.whole.clear()
        try:
            yield
        finally:
            self.whole.set()

    def close(self):
        self.whole.set()
        self.listener.close()
