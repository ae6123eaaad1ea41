#!/bin/sh
# Installs the packages into .venv, unless they are there, and generates the stubs from the proto files.
set -e
cd "$(dirname "$0")"
if ! cmp -s requirements.txt .venv/installed; then
  python3 -m venv .venv
  .venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
  cp requirements.txt .venv/installed
fi
mkdir -p stubs
.venv/bin/python -m grpc_tools.protoc -I ../../proto --python_out=stubs --grpc_python_out=stubs \
  tidings/rpc/webhook_service.proto tidings/events/v1/event_stream.proto
