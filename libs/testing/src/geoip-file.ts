import { isIPv6 } from 'node:net';

export interface GeoipNetwork {
  readonly network: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** @default none */
  readonly city?: string;
}

export interface GeoipFileOptions {
  /** Milliseconds since 1970. @default now */
  readonly builtAt?: number;
  /** @default 'Test-City' */
  readonly type?: string;
  /** 4 = a database without IPv6. @default 6 */
  readonly ipVersion?: 4 | 6;
}

type Value = string | number | bigint | readonly string[] | { readonly [key: string]: Value };
type Tree = [Tree | number | undefined, Tree | number | undefined];

const SEPARATOR = Buffer.alloc(16);
const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

const TEXT = 2;
const UINT32 = 6;
const MAP = 7;
const UINT64 = 9;
const ARRAY = 11;

function control(type: number, size: number): Buffer {
  const [short, more] = size < 29 ? [size, []] : [29, [size - 29]];
  return Buffer.from(type <= MAP ? [(type << 5) | short, ...more] : [short, type - MAP, ...more]);
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(TEXT, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(UINT32, 4), bytes]);
  }
  if (typeof value === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(value);
    return Buffer.concat([control(UINT64, 8), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([control(MAP, entries.length), ...entries.flat().map((part) => encode(part))]);
}

/** In a database with IPv6, IPv4 is at its beginning. */
function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', prefix = ''] = network.split('/');
  const isLong = isIPv6(address);
  const groups = isLong ? groupsOf(address) : address.split('.').map(Number);
  const width = isLong ? 16 : 8;
  const bits = groups.flatMap((group) => Array.from({ length: width }, (_, i) => (group >> (width - 1 - i)) & 1));
  const lead = ipVersion === 6 && !isLong ? Array.from({ length: 96 }, () => 0) : [];
  return [...lead, ...bits.slice(0, Number(prefix))];
}

function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [head, tail].map((part) =>
    part === '' ? [] : part.split(':').map((hex) => parseInt(hex, 16)),
  );
  return [...before!, ...Array.from({ length: 8 - before!.length - after!.length }, () => 0), ...after!];
}

function insert(root: Tree, bits: readonly number[], record: number): void {
  let tree = root;
  for (const bit of bits.slice(0, -1)) {
    const next = (tree[bit] ??= [undefined, undefined]);
    if (typeof next === 'number') throw new Error('networks overlap');
    tree = next;
  }
  tree[bits.at(-1)!] = record;
}

/** MaxMind DB 2.0; no network inside another. */
export function geoipFile(networks: readonly GeoipNetwork[], options: GeoipFileOptions = {}): Buffer {
  const { builtAt = Date.now(), type = 'Test-City', ipVersion = 6 } = options;
  const root: Tree = [undefined, undefined];
  const records: Buffer[] = [];
  let offset = 0;
  for (const { network, country, city } of networks) {
    insert(root, bitsOf(network, ipVersion), offset);
    const record = encode({
      country: { iso_code: country },
      ...(city === undefined ? {} : { city: { names: { en: city } } }),
    });
    records.push(record);
    offset += record.length;
  }
  const nodes = nodesOf(root);
  const description = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: BigInt(Math.floor(builtAt / 1000)),
    database_type: type,
    description: { en: 'For tests' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 32,
  };
  return Buffer.concat([...nodes, SEPARATOR, ...records, MARK, encode(description)]);
}

/** Breadth first; a record is another node, nothing, or an offset into the data. */
function nodesOf(root: Tree): Buffer[] {
  const nodes = [root];
  const sides = nodes.map(() => [] as (() => number)[]);
  for (const [index, node] of nodes.entries()) {
    sides[index] = node.map((side) => {
      if (side === undefined) return () => nodes.length;
      if (typeof side === 'number') return () => nodes.length + SEPARATOR.length + side;
      const number = nodes.push(side) - 1;
      return () => number;
    });
  }
  return sides.map((records) => {
    const bytes = Buffer.alloc(8);
    records.forEach((record, side) => bytes.writeUInt32BE(record(), 4 * side));
    return bytes;
  });
}
