import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import type { TlsFiles } from './transport/listener.ts';

/** One DER element. */
const der = (tag: number, ...contents: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
};

const sequence = (...contents: readonly Buffer[]): Buffer => der(0x30, ...contents);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const time = (at: Date): Buffer => der(0x18, Buffer.from(`${at.toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`));

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const ALTERNATIVE_NAMES = oid('551d11');
const BASIC_CONSTRAINTS = oid('551d13');

const nameOf = (text: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));

function ipv6Bytes(address: string): Buffer {
  const [before = [], after = []] = address.split('::').map(groupsOf);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function alternativeName(host: string): Buffer {
  if (isIP(host) === 6) return der(0x87, ipv6Bytes(host));
  return isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

const extensions = (host: string): Buffer => {
  const names = sequence(
    alternativeName(host),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  );
  const yes = der(0x01, Buffer.from([0xff]));
  const authority = sequence(BASIC_CONSTRAINTS, yes, der(0x04, sequence(yes)));
  return der(0xa3, sequence(authority, sequence(ALTERNATIVE_NAMES, der(0x04, names))));
};

/** For a host, `127.0.0.1` and `::1`. @param options.days below 0 the certificate has expired */
export const selfSigned = ({ host = 'localhost', days = 3650 } = {}): TlsFiles => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const now = Date.now();
  const validity = sequence(time(new Date(now - 86_400_000)), time(new Date(now + days * 86_400_000)));
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  // The first bit of a positive number is 0.
  const serial = der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)]));
  const issuer = nameOf('Tidings simulators');
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(version, serial, ECDSA_SHA256, issuer, validity, issuer, spki, extensions(host));
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const text = sequence(body, ECDSA_SHA256, signature).toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
};
