import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  pbkdf2Sync,
  X509Certificate,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import forge from 'node-forge';
import { openKeyFile } from './key-files.ts';
import { openPlainKey } from './private-keys.ts';

interface Fixture {
  readonly madeBy: string;
  readonly password: string;
  readonly file: string;
}

const fixtures = JSON.parse(readFileSync(new URL('testing/key-files.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Fixture>
>;
const bytesOf = (name: string): Buffer => Buffer.from(fixtures[name]!.file, 'base64');
const publicOf = (key: KeyObject): string => createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

const plain = await openKeyFile(bytesOf('nothing encrypted'), fixtures['nothing encrypted']!.password);
const key = createPrivateKey(plain.key!);
const certificate = plain.certificates[0]!;

async function expectKey(file: Buffer, password: string): Promise<readonly string[]> {
  const opened = await openKeyFile(file, password);
  expect(publicOf(createPrivateKey(opened.key!))).toBe(publicOf(key));
  return opened.certificates;
}
const reasonOf = (opening: Promise<unknown>): Promise<unknown> =>
  opening.then(
    () => 'opened',
    (error: { cause?: { reason?: unknown } }) => error.cause?.reason,
  );

describe('a key file', () => {
  it.each(Object.entries(fixtures))('opens in the form of %s', async (name, { password, file }) => {
    const certificates = await expectKey(Buffer.from(file, 'base64'), password);
    if (!name.startsWith('PEM')) expect(new X509Certificate(certificates[0]!).checkPrivateKey(key)).toBe(true);
  });

  it.each(Object.entries(fixtures))('does not open with another password: %s', async (name, { file }) => {
    if (name === 'nothing encrypted') return;
    expect(await reasonOf(openKeyFile(Buffer.from(file, 'base64'), 'another'))).toBe('wrong_password');
  });

  it('has the certificate of its key before the issuers', async () => {
    const certificates = await expectKey(bytesOf('a friendly name and a chain'), 'geheim');
    expect(certificates.map((each) => new X509Certificate(each).subject)).toEqual([
      'UID=com.example.keys\nCN=Keys',
      'CN=Issuer',
    ]);
  });
});

const { asn1 } = forge;
const parsed = (file: Buffer): forge.asn1.Asn1 => asn1.fromDer(file.toString('latin1'));
const children = (node: forge.asn1.Asn1): forge.asn1.Asn1[] => node.value as forge.asn1.Asn1[];
const derOf = (node: forge.asn1.Asn1): Buffer => Buffer.from(asn1.toDer(node).getBytes(), 'latin1');

function indefinite(node: forge.asn1.Asn1): Buffer {
  const end = Buffer.alloc(2);
  if (node.constructed) {
    return Buffer.concat([Buffer.of(node.tagClass | 0x20 | node.type, 0x80), ...children(node).map(indefinite), end]);
  }
  if (node.type !== asn1.Type.OCTETSTRING) return derOf(node);
  const text = node.value as string;
  const parts = text.match(/[^]{1,100}/g) ?? [];
  const primitives = parts.map((value) =>
    derOf(asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OCTETSTRING, false, value)),
  );
  return Buffer.concat([Buffer.of(node.tagClass | 0x24, 0x80), ...primitives, end]);
}

describe('the structure of a .p12', () => {
  it('may have indefinite lengths', async () => {
    expect(await expectKey(indefinite(parsed(bytesOf('OpenSSL 3'))), 'geheim')).toEqual([certificate]);
  });

  it('may end with further bytes', async () => {
    expect(await expectKey(Buffer.concat([bytesOf('OpenSSL 3'), Buffer.from('\r\n')]), 'geheim')).toEqual([
      certificate,
    ]);
  });

  const withMac = (file: Buffer, macOf: (content: Buffer) => readonly forge.asn1.Asn1[]): Buffer => {
    const [version, safe] = children(parsed(file));
    const content = Buffer.from(children(children(safe!)[1]!)[0]!.value as string, 'latin1');
    return derOf(asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, [version!, safe!, ...macOf(content)]));
  };
  const of = (type: number, value: string | forge.asn1.Asn1[]) =>
    asn1.create(asn1.Class.UNIVERSAL, type, Array.isArray(value), value);
  const sequence = (...values: forge.asn1.Asn1[]) => of(asn1.Type.SEQUENCE, values);
  const oid = (id: string) => of(asn1.Type.OID, asn1.oidToDer(id).getBytes());
  const octets = (bytes: Buffer) => of(asn1.Type.OCTETSTRING, bytes.toString('latin1'));
  const integer = (value: number) => of(asn1.Type.INTEGER, asn1.integerToDer(value).getBytes());
  const salt = Buffer.from('saltsalt');

  it('may be authenticated by PBMAC1 (RFC 9579)', async () => {
    const file = withMac(bytesOf('no MAC'), (content) => {
      const hmac = sequence(oid('1.2.840.113549.2.11'));
      const derivation = sequence(
        oid('1.2.840.113549.1.5.12'),
        sequence(octets(salt), integer(2048), integer(64), hmac),
      );
      const mac = createHmac('sha512', pbkdf2Sync('geheim', salt, 2048, 64, 'sha512'))
        .update(content)
        .digest();
      const algorithm = sequence(oid('1.2.840.113549.1.5.14'), sequence(derivation, hmac));
      return [sequence(sequence(algorithm, octets(mac)), octets(salt), integer(1))];
    });
    expect(await expectKey(file, 'geheim')).toEqual([certificate]);
    expect(await reasonOf(openKeyFile(file, 'another'))).toBe('wrong_password');
  });

  it('may be authenticated by an empty password without its end', async () => {
    const file = withMac(bytesOf('nothing encrypted'), (content) => {
      const { generateKey } = forge.pkcs12 as unknown as {
        generateKey(password: null, salt: unknown, id: number, rounds: number, bytes: number): { getBytes(): string };
      };
      const macKey = generateKey(null, forge.util.createBuffer(salt.toString('latin1')), 3, 1, 20);
      const mac = createHmac('sha1', Buffer.from(macKey.getBytes(), 'latin1')).update(content).digest();
      return [sequence(sequence(sequence(oid('1.3.14.3.2.26')), octets(mac)), octets(salt))];
    });
    expect(await expectKey(file, '')).toEqual([certificate]);
    expect(await reasonOf(openKeyFile(file, 'another'))).toBe('wrong_password');
  });
});

const pkcs8 = key.export({ type: 'pkcs8', format: 'pem' }).toString();
const sec1 = key.export({ type: 'sec1', format: 'pem' }).toString();

const texts: readonly (readonly [form: string, change: (pem: string) => string])[] = [
  ['CRLF', (pem) => pem.replace(/\n/g, '\r\n')],
  ['a lone CR', (pem) => pem.replace(/\n/g, '\r')],
  ['no final line end', (pem) => pem.trimEnd()],
  ['a byte order mark', (pem) => `\ufeff${pem}`],
  ['text before and behind', (pem) => `Bag Attributes\n    friendlyName: Key\n${pem}\nend of file`],
  ['escaped line ends', (pem) => pem.replace(/\n/g, '\\n')],
  ['escaped CRLF', (pem) => pem.replace(/\n/g, '\\r\\n')],
  ['blanks in place of line ends', (pem) => pem.replace(/\n/g, ' ')],
  ['no line ends', (pem) => pem.replace(/\n/g, '')],
  ['indented lines', (pem) => pem.replace(/^/gm, '    ')],
  ['blank lines', (pem) => pem.replace(/\n/g, '\n\n')],
  [
    'parameters of its curve',
    (pem) => `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pem}`,
  ],
];
const pems = [
  ['PKCS#8', pkcs8],
  ['SEC1', sec1],
] as const;
const forms = texts.flatMap(([form, change]) =>
  pems.map(([kind, pem]) => [`${kind} with ${form}`, change(pem)] as const),
);

describe('a key in PEM', () => {
  it.each(forms)('may be %s', async (_, pem) => {
    expect(publicOf(openPlainKey(pem))).toBe(publicOf(key));
    await expectKey(Buffer.from(pem), '');
  });

  it.each(texts)('may be next to a certificate, with %s', async (_, change) => {
    expect(await expectKey(Buffer.from(change(certificate + pkcs8)), '')).toEqual([certificate]);
  });

  it.each([
    ['UTF-16 of Windows', Buffer.from(`\ufeff${pkcs8}`, 'utf16le')],
    ['UTF-16 of other systems', Buffer.from(`\ufeff${pkcs8}`, 'utf16le').swap16()],
    ['PKCS#8 in DER', key.export({ type: 'pkcs8', format: 'der' })],
    ['SEC1 in DER', key.export({ type: 'sec1', format: 'der' })],
    ['PKCS#8 under the label of SEC1', Buffer.from(pkcs8.replaceAll('PRIVATE', 'EC PRIVATE'))],
  ])('may be a file of %s', async (_, file) => expect(await expectKey(file, '')).toEqual([]));

  it('may be encrypted only in a file', async () => {
    const encrypted = bytesOf('PEM with hmacWithSHA256');
    const der = Buffer.from(encrypted.toString().replace(/-.*-|\n/g, ''), 'base64');
    await expectKey(der, 'geheim');
    for (const pem of [encrypted.toString(), bytesOf('PEM in the legacy format').toString()])
      for (const [, change] of texts) {
        expect(() => openPlainKey(change(pem))).toThrow(expect.objectContaining({ reason: 'encrypted_key' }));
      }
  });

  it.each([
    ['a certificate', certificate, 'missing_key'],
    ['no PEM', 'key', 'missing_key'],
    ['a key that is cut off', pkcs8.replace(/.{40}\n-/, '\n-'), 'unusable_key'],
    ['no key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', 'unusable_key'],
  ])('is not %s', (_, pem, reason) => expect(() => openPlainKey(pem)).toThrow(expect.objectContaining({ reason })));
});
