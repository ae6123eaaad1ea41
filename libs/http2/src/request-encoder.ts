import { STATIC_ENTRIES, staticNames } from './static-table.ts';

const METHOD_POST = 0x83;
const SCHEME_HTTP = 0x86;
const SCHEME_HTTPS = 0x87;
const PATH_LITERAL = 0x04;
const ENTRY_OVERHEAD = 32;
const TABLE_BYTES = 4096;

class DynamicTable {
  #capacity = TABLE_BYTES;
  #size = 0;
  #inserted = 0;
  readonly #entries = new Map<string, { readonly number: number; readonly size: number }>();

  get generation(): number {
    return this.#inserted;
  }

  find(name: string, value: string): number | undefined {
    const entry = this.#entries.get(`${name}\0${value}`);
    return entry && STATIC_ENTRIES + 1 + this.#inserted - entry.number;
  }

  insert(name: string, value: string): boolean {
    const size = name.length + value.length + ENTRY_OVERHEAD;
    if (size > this.#capacity) return false;
    for (const [key, entry] of this.#entries) {
      if (this.#size + size <= this.#capacity) break;
      this.#entries.delete(key);
      this.#size -= entry.size;
    }
    this.#inserted++;
    this.#entries.set(`${name}\0${value}`, { number: this.#inserted, size });
    this.#size += size;
    return true;
  }

  restart(capacity: number): void {
    this.#entries.clear();
    this.#size = 0;
    this.#capacity = capacity;
    this.#inserted++;
  }
}

interface SharedBytes {
  readonly generation: number;
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
}

export class RequestEncoder {
  readonly #scheme: number;
  readonly #authority: string;
  readonly #table = new DynamicTable();
  #cached = new WeakMap<readonly string[], SharedBytes>();
  #update: readonly number[] = [];
  #capacity = TABLE_BYTES;
  #path = '';
  #own: readonly string[] = [];
  #parts: SharedBytes = { generation: -1, prefix: new Uint8Array(), suffix: new Uint8Array() };

  constructor(secure: boolean, authority: string) {
    this.#scheme = secure ? SCHEME_HTTPS : SCHEME_HTTP;
    this.#authority = authority;
  }

  limit(bytes: number): void {
    const capacity = Math.min(bytes, TABLE_BYTES);
    if (capacity === this.#capacity) return;
    this.#capacity = capacity;
    this.#table.restart(capacity);
    // The size goes to 0 and up again, so that both sides drop the table.
    const bytesOfUpdate: number[] = [0x20];
    pushInteger(bytesOfUpdate, 0x20, 5, capacity);
    this.#update = bytesOfUpdate;
  }

  /** A prepared block must be written: the peer's table depends on it. */
  prepare(path: string, shared: readonly string[], own: readonly string[]): number {
    const cached = this.#cached.get(shared);
    this.#parts = cached?.generation === this.#table.generation ? cached : this.#encode(shared);
    this.#path = path;
    this.#own = own;
    let bound = this.#parts.prefix.length + this.#parts.suffix.length + path.length + INTEGER_MAX;
    for (const text of own) bound += text.length + INTEGER_MAX;
    return bound;
  }

  write(target: Buffer, at: number): number {
    const { prefix, suffix } = this.#parts;
    target.set(prefix, at);
    at += prefix.length;
    target[at++] = PATH_LITERAL;
    at = writeString(target, at, this.#path);
    target.set(suffix, at);
    at += suffix.length;
    const own = this.#own;
    for (let i = 0; i < own.length; i += 2) {
      target[at++] = 0;
      at = writeString(target, at, own[i]!);
      at = writeString(target, at, own[i + 1]!);
    }
    return at;
  }

  #encode(shared: readonly string[]): SharedBytes {
    const { generation } = this.#table;
    const plain = this.#update.length === 0;
    const prefix: number[] = [...this.#update, METHOD_POST, this.#scheme];
    this.#update = [];
    this.#field(prefix, ':authority', this.#authority);
    const suffix: number[] = [];
    for (let i = 0; i < shared.length; i += 2) this.#field(suffix, shared[i]!, shared[i + 1]!);
    const parts = { generation, prefix: Uint8Array.from(prefix), suffix: Uint8Array.from(suffix) };
    if (plain && this.#table.generation === generation) this.#cached.set(shared, parts);
    return parts;
  }

  #field(bytes: number[], name: string, value: string): void {
    if (!/^[\t\x20-\x7e]*$/.test(value))
      throw new TypeError(`header ${name} contains characters that headers must not contain`);
    const index = this.#table.find(name, value);
    if (index !== undefined) {
      pushInteger(bytes, 0x80, 7, index);
      return;
    }
    const nameIndex = staticNames.get(name) ?? 0;
    if (this.#table.insert(name, value)) pushInteger(bytes, 0x40, 6, nameIndex);
    else pushInteger(bytes, 0, 4, nameIndex);
    if (nameIndex === 0) pushString(bytes, name);
    pushString(bytes, value);
  }
}

const INTEGER_MAX = 6;

function pushInteger(bytes: number[], flags: number, prefixBits: number, value: number): void {
  const max = (1 << prefixBits) - 1;
  if (value < max) {
    bytes.push(flags | value);
    return;
  }
  bytes.push(flags | max);
  let rest = value - max;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
}

function pushString(bytes: number[], text: string): void {
  pushInteger(bytes, 0, 7, text.length);
  bytes.push(...Buffer.from(text, 'latin1'));
}

function writeString(target: Buffer, at: number, text: string): number {
  let rest = text.length;
  if (rest < 127) target[at++] = rest;
  else {
    target[at++] = 127;
    for (rest -= 127; rest >= 128; rest >>>= 7) target[at++] = (rest & 127) | 128;
    target[at++] = rest;
  }
  return at + target.write(text, at, 'latin1');
}
