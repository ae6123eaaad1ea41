import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Fault } from '@tidings/kernel';
import type forgeModule from 'node-forge';
import type { asn1, pki } from 'node-forge';

/** What a file of keys holds, as PEM text. */
export interface KeyFile {
  /** PKCS#8, not encrypted; undefined without one. */
  readonly key: string | undefined;
  /** That of the key first. */
  readonly certificates: readonly string[];
}

/** Files of credentials have a few kilobytes. */
const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 64;
/** Rounds of key derivation that a file may ask for in all: a caller chooses them, and each costs time. */
const MAX_ROUNDS = 50_000;

const SEQUENCE = '\x30';

type Forge = typeof forgeModule;
type Node = asn1.Asn1;

const childrenOf = (node: Node): Node[] => (Array.isArray(node.value) ? node.value : []);

const parsed = ({ asn1 }: Forge, bytes: string): Node | undefined => {
  try {
    return asn1.fromDer(bytes);
  } catch {
    return undefined;
  }
};

/** Every structure in a file, also where octet strings hold further ones. */
function* structuresIn(forge: Forge, node: Node, depth = 0): Generator<Node> {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
  yield node;
  for (const child of childrenOf(node)) yield* structuresIn(forge, child, depth + 1);
  const isText = node.type === forge.asn1.Type.OCTETSTRING && typeof node.value === 'string';
  const within =
    isText && (node.value as string).startsWith(SEQUENCE) ? parsed(forge, node.value as string) : undefined;
  if (within) yield* structuresIn(forge, within, depth + 1);
}

/** Rounds that a file asks for in clear: a salt, and behind it their number (RFC 7292, RFC 8018). */
function roundsIn(forge: Forge, file: Node): number {
  const { OCTETSTRING, INTEGER } = forge.asn1.Type;
  let rounds = 0;
  for (const structure of structuresIn(forge, file)) {
    childrenOf(structure).forEach(({ type, value }, i, all) => {
      if (type !== INTEGER || typeof value !== 'string' || all[i - 1]?.type !== OCTETSTRING) return;
      rounds += Number.parseInt(Buffer.from(value, 'latin1').toString('hex') || '0', 16);
    });
  }
  return rounds;
}

interface Encrypted {
  readonly algorithm: Node;
  readonly content: string;
}

/** The parts of a PKCS#12 file that are encrypted as a whole. */
function encryptedIn(forge: Forge, file: Node): Encrypted[] {
  const { asn1, pki } = forge;
  return [...structuresIn(forge, file)].flatMap((structure) => {
    const [type, algorithm, content] = childrenOf(structure);
    if (!content || !algorithm || type?.type !== asn1.Type.OID) return [];
    if (asn1.derToOid(type.value as string) !== pki.oids['data']) return [];
    const pieces = Array.isArray(content.value) ? content.value.map(({ value }) => value as string) : [content.value];
    return [{ algorithm, content: pieces.join('') }];
  });
}

interface Pbe {
  getCipher(
    oid: string,
    parameters: Node,
    password: string,
  ): {
    update(bytes: unknown): void;
    finish(): boolean;
    output: { getBytes(): string };
  };
}

/** Refuses a file that costs too much to open, also where its encrypted parts ask for more. */
function checkRounds(forge: Forge, file: Node, password: string): void {
  let rounds = roundsIn(forge, file);
  const check = (): void => {
    if (rounds > MAX_ROUNDS) throw new RangeError('too many rounds of key derivation');
  };
  check();
  const { pbe } = forge.pki as typeof pki & { pbe: Pbe };
  for (const { algorithm, content } of encryptedIn(forge, file)) {
    const [oid, parameters] = childrenOf(algorithm);
    const cipher = pbe.getCipher(forge.asn1.derToOid(oid!.value as string), parameters!, password);
    cipher.update(forge.util.createBuffer(content));
    const inner = cipher.finish() ? parsed(forge, cipher.output.getBytes()) : undefined;
    if (inner) rounds += roundsIn(forge, inner);
    check();
  }
}

const pem = (label: string, der: string): string =>
  `-----BEGIN ${label}-----\n${(
    Buffer.from(der, 'latin1')
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END ${label}-----\n`;

/** A private key in any form that it comes in, as PKCS#8. */
const keyPem = (text: string, password: string): string =>
  createPrivateKey({ key: text, passphrase: password }).export({ type: 'pkcs8', format: 'pem' }).toString();

async function openPkcs12(file: Buffer, password: string): Promise<KeyFile> {
  const { default: forge } = await import('node-forge');
  const structure = forge.asn1.fromDer(file.toString('latin1'));
  checkRounds(forge, structure, password);
  const bags = forge.pkcs12.pkcs12FromAsn1(structure, false, password).safeContents.flatMap(({ safeBags }) => safeBags);
  const { oids, privateKeyToAsn1, certificateToAsn1 } = forge.pki;
  const der = (node: Node): string => forge.asn1.toDer(node).getBytes();
  const keyTypes: unknown[] = [oids['keyBag'], oids['pkcs8ShroudedKeyBag']];
  const keys = bags.flatMap(({ type, key, asn1 }) => {
    if (!keyTypes.includes(type)) return [];
    // Keys other than those of RSA are handed on as they are.
    return [keyPem(key ? pem('RSA PRIVATE KEY', der(privateKeyToAsn1(key))) : pem('PRIVATE KEY', der(asn1)), '')];
  });
  const certificates = bags
    .filter(({ type }) => type === oids['certBag'])
    .map(({ cert, asn1 }) => pem('CERTIFICATE', der(cert ? certificateToAsn1(cert) : asn1)));
  return { key: keys[0], certificates };
}

const KEY = /-----BEGIN ((?:[A-Z]+ )*PRIVATE KEY)-----[^-]*(?:-[^-]+)*-----END \1-----/;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

async function openPem(text: string, password: string): Promise<KeyFile> {
  const key = KEY.exec(text)?.[0];
  if (key?.includes('BEGIN ENCRYPTED')) {
    const { default: forge } = await import('node-forge');
    const structure = forge.asn1.fromDer(forge.pem.decode(key)[0]!.body);
    if (roundsIn(forge, structure) > MAX_ROUNDS) throw new RangeError('too many rounds of key derivation');
  }
  return {
    key: key && keyPem(key, password),
    certificates: text.match(CERTIFICATE)?.map((block) => `${block}\n`) ?? [],
  };
}

const isCertificate = (file: Buffer): boolean => {
  try {
    return new X509Certificate(file).raw.length > 0;
  } catch {
    return false;
  }
};

const belongsTo =
  (key: string) =>
  (certificate: string): boolean =>
    new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));

/**
 * Opens a file of keys and certificates: PKCS#12 (`.p12`, of any age), PEM (`.p8`, `.pem`) or a single certificate (`.cer`).
 * @throws Fault `argument` where the password does not open it, or nothing can.
 */
export async function openKeyFile(bytes: Uint8Array, password: string): Promise<KeyFile> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    if (file.length > MAX_BYTES) throw new RangeError('the file is too large');
    if (file.includes('-----BEGIN')) return sorted(await openPem(file.toString('latin1'), password));
    if (isCertificate(file)) return { key: undefined, certificates: [new X509Certificate(file).toString()] };
    return sorted(await openPkcs12(file, password));
  } catch (error) {
    throw new Fault('argument', 'File cannot be opened', { cause: error });
  }
}

function sorted({ key, certificates }: KeyFile): KeyFile {
  if (key === undefined) return { key, certificates };
  const isOwn = belongsTo(key);
  const own = certificates.filter(isOwn);
  return { key, certificates: [...own, ...certificates.filter((each) => !isOwn(each))] };
}
