"""HTTP/2 frames as bytes, so that a client can send what no library would."""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def settings(**values):
    numbers = {"window": INITIAL_WINDOW_SIZE}
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", numbers[name], value) for name, value in values.items()))


def text(value):
    """Encodes a short HPACK string, without Huffman coding."""
    assert len(value) < 127
    return bytes([len(value)]) + value


def field(name, value):
    """Encodes a header that is not added to the dynamic table."""
    return b"\x00" + text(name) + text(value)


def request_block(path, *, method=b"GET", headers=()):
    """Encodes method, scheme, path and host, then the other headers."""
    verb = {b"GET": b"\x82", b"POST": b"\x83"}.get(method) or b"\x02" + text(method)
    block = verb + b"\x86" + b"\x04" + text(path) + b"\x01" + text(b"soak")
    return block + b"".join(field(name, value) for name, value in headers)


def get(stream, path, *, method=b"GET", headers=()):
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, request_block(path, method=method, headers=headers))


def reset(stream):
    return frame(RST_STREAM, 0, stream, struct.pack(">I", 8))


def ping():
    return frame(PING, 0, 0, b"soaksoak")


def frames_in(received):
    """Yields kind, flags and payload of each whole frame."""
    while len(received) >= 9:
        length = int.from_bytes(received[:3], "big")
        yield received[3], received[4], received[9 : 9 + length]
        received = received[9 + length :]
