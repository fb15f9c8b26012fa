"""Frames that the real Codex 0.163.0 sent, one of each kind; only ids, paths and the host's name were changed.

They were taken from the session of ``tests/contract/recording.py``.
"""

from pathlib import Path

from rawr.codex import rpc

FRAMES: tuple[bytes, ...] = tuple(Path(__file__).with_name("recorded.jsonl").read_bytes().splitlines())
INBOUND: tuple[rpc.Inbound, ...] = tuple(rpc.Peer().receive(frame) for frame in FRAMES)
NOTIFICATIONS: tuple[rpc.Notification, ...] = tuple(one for one in INBOUND if isinstance(one, rpc.Notification))
REQUESTS: tuple[rpc.ServerRequest, ...] = tuple(one for one in INBOUND if isinstance(one, rpc.ServerRequest))
