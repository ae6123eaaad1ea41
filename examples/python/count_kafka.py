"""Counts the events of a message by name, from the topic of a kafka:// subscription, and prints JSON.

    .venv/bin/python count_kafka.py BROKERS TOPIC MESSAGE_CODE

The topic itself is the record: a run reads it from the start to its current end, and a killed run is simply repeated.
"""
import collections
import json
import os
import sys

from kafka import KafkaConsumer, TopicPartition

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "stubs"))
from tidings.rpc.webhook_service_pb2 import WebhookRequest

brokers, topic, message = sys.argv[1:]
consumer = KafkaConsumer(bootstrap_servers=brokers, enable_auto_commit=False)
partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
consumer.assign(partitions)
consumer.seek_to_beginning()
ends = consumer.end_offsets(partitions)

# Records may be repeated: the uuid identifies the event.
names = {}
while any(consumer.position(partition) < ends[partition] for partition in partitions):
    for records in consumer.poll(timeout_ms=500).values():
        for record in records:
            event = WebhookRequest.FromString(record.value)
            if event.message_code == message:
                names[event.uuid] = event.event_name
        print(f"{len(names)} events", file=sys.stderr, flush=True)

print(json.dumps(collections.Counter(names.values())))
