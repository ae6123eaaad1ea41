#!/bin/sh
# Installs the packages into .venv, unless they are there.
set -e
cd "$(dirname "$0")"
if ! cmp -s requirements.txt .venv/installed; then
  python3 -m venv .venv
  .venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
  cp requirements.txt .venv/installed
fi
