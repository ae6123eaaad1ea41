import { expect, it } from '@jest/globals';
import * as accounts from '@tidings/events/generated/tidings/events/v1/accounts';
import { Struct } from '@tidings/events/generated/google/protobuf/struct';
import * as applications from './generated/tidings/rpc/v1/applications.ts';
import * as deadLetters from './generated/tidings/rpc/v1/dead_letters.ts';
import * as devices from './generated/tidings/rpc/v1/devices.ts';
import * as jobs from './generated/tidings/rpc/v1/jobs.ts';
import * as platforms from './generated/tidings/rpc/v1/platforms.ts';

interface Codec {
  fromPartial(message: object): Record<string, unknown>;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Record<string, unknown>;
}

const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'plain', 'toString'];
const codecs = {
  ...accounts,
  ...applications,
  ...deadLetters,
  ...devices,
  ...jobs,
  ...platforms,
} as unknown as Record<string, Codec>;
/** A map has a message for its entries. */
const maps = Object.keys(codecs).flatMap((name) => {
  const [, message, field] = /^(\w+)_(\w+)Entry$/.exec(name) ?? [];
  return message && field ? [[message, field[0]!.toLowerCase() + field.slice(1)] as const] : [];
});

it('the generated codecs contain maps', () => expect(maps.length).toBeGreaterThanOrEqual(13));

it.each(maps)('the map %s.%s keeps members of any name', (message, field) => {
  const codec = codecs[message]!;
  const { value } = codecs[`${message}_${field[0]!.toUpperCase()}${field.slice(1)}Entry`]!.fromPartial({});
  const given = Object.fromEntries(NAMES.map((name) => [name, value]));
  const copy = codec.decode(codec.encode(codec.fromPartial({ [field]: given })).finish())[field];
  expect(Object.keys(copy as object).toSorted()).toEqual(NAMES);
});

it('a JSON object keeps members of any name, at any depth', () => {
  const inner = Object.fromEntries(NAMES.map((name) => [name, [1]]));
  const given = Object.fromEntries(NAMES.map((name) => [name, inner]));
  const copy = Struct.unwrap(Struct.decode(Struct.encode(Struct.wrap(given)).finish()));
  expect(JSON.stringify(copy)).toBe(JSON.stringify(given));
});
