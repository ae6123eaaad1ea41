"""Counts the events of a message by name, as a consumer that dials in, and prints JSON when it is asked to end (SIGTERM, Ctrl-C).

    .venv/bin/python count_grpc.py ADDRESS API_TOKEN SUBSCRIPTION MESSAGE_CODE JOURNAL

An acknowledged event does not come again, so each is written to the journal before it is acknowledged. A killed run continues from there.
"""
import collections
import json
import os
import queue
import signal
import sys

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "stubs"))
from tidings.events.v1.event_stream_pb2_grpc import EventStreamStub
from tidings.rpc.webhook_service_pb2 import WebhookResponse

address, token, subscription, message, journal_path = sys.argv[1:]


def journalled():
    """The events that are on record, by uuid. A line that a kill has cut off was not acknowledged, and comes again."""
    names = {}
    if os.path.exists(journal_path):
        for line in open(journal_path, encoding="utf-8"):
            try:
                uuid, name = json.loads(line)
                names[uuid] = name
            except ValueError:
                pass
    return names


names = journalled()
journal = open(journal_path, "a", encoding="utf-8")


def finish(*_):
    print(json.dumps(collections.Counter(names.values())), flush=True)
    os._exit(0)


signal.signal(signal.SIGTERM, finish)
signal.signal(signal.SIGINT, finish)

answers = queue.SimpleQueue()
metadata = [("authorization", f"Token {token}"), ("subscription", subscription)]
events = EventStreamStub(grpc.insecure_channel(address)).Subscribe(iter(answers.get, None), metadata=metadata)
events.initial_metadata()
print("accepted", file=sys.stderr, flush=True)

for event in events:
    if event.message_code == message and event.uuid not in names:
        names[event.uuid] = event.event_name
        # The line begins with its end: what a kill has cut off spoils no other line.
        journal.write("\n" + json.dumps([event.uuid, event.event_name]))
        journal.flush()
        print(f"{len(names)} events", file=sys.stderr, flush=True)
    answers.put(WebhookResponse(uuid=event.uuid, status="ok"))
