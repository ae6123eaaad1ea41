// Runs in a separate thread (key-file-worker.ts), from source as well: it imports only modules that Node can load itself.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { checkPkcs12Work, checkWork, childrenOf, type Forge, type Node } from './key-derivation.ts';
import { checkedKey, openPlainKey } from './private-keys.ts';

/** The content of a key file as PEM text. */
export interface KeyFile {
  /** Unencrypted PKCS#8; undefined without one. */
  readonly key: string | undefined;
  /** The key's certificate first. */
  readonly certificates: readonly string[];
}

/** Maximum keys and certificates in a PKCS#12 file, and certificates in a PEM file. */
const MAX_ENTRIES = 32;

const pem = (label: string, der: string): string =>
  `-----BEGIN ${label}-----\n${(
    Buffer.from(der, 'latin1')
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END ${label}-----\n`;

const pkcs8Of = (key: KeyObject): string => checkedKey(key).export({ type: 'pkcs8', format: 'pem' }).toString();

const loadForge = async (): Promise<Forge> => (await import('node-forge')).default;

const checkCount = (count: number): void => {
  if (count > MAX_ENTRIES) throw new RangeError('too many keys and certificates');
};

async function openPkcs12(file: Buffer, password: string): Promise<KeyFile> {
  const forge = await loadForge();
  const structure = forge.asn1.fromDer(file.toString('latin1'));
  checkPkcs12Work(forge, structure, password);
  const bags = forge.pkcs12.pkcs12FromAsn1(structure, false, password).safeContents.flatMap(({ safeBags }) => safeBags);
  checkCount(bags.length);
  const { oids, privateKeyToAsn1, certificateToAsn1 } = forge.pki;
  const der = (node: Node): string => forge.asn1.toDer(node).getBytes();
  const keyTypes: unknown[] = [oids['keyBag'], oids['pkcs8ShroudedKeyBag']];
  const found = bags.find(({ type }) => keyTypes.includes(type));
  const certificates = bags
    .filter(({ type }) => type === oids['certBag'])
    .map(({ cert, asn1 }) => pem('CERTIFICATE', der(cert ? certificateToAsn1(cert) : asn1)));
  if (!found) return { key: undefined, certificates };
  // Keys other than RSA are passed on unchanged. Without a password nothing more is derived.
  const { key, asn1 } = found;
  const type = key ? 'pkcs1' : 'pkcs8';
  const bytes = Buffer.from(der(key ? privateKeyToAsn1(key) : asn1), 'latin1');
  return { key: pkcs8Of(createPrivateKey({ key: bytes, format: 'der', type })), certificates };
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';

interface Block {
  readonly label: string;
  /** Including both delimiter lines. */
  readonly text: string;
}

/** The blocks of a PEM file, in one pass; a block without an end ends the file. */
function* blocksIn(text: string): Generator<Block> {
  for (let from = text.indexOf(BEGIN); from >= 0; from = text.indexOf(BEGIN, from + BEGIN.length)) {
    const labelAt = from + BEGIN.length;
    const label = text.slice(labelAt, text.indexOf(DASHES, labelAt));
    if (label.length > 40 || !/^[A-Z0-9 ]+$/.test(label)) continue;
    const end = `${DASHES}END ${label}${DASHES}`;
    const endAt = text.indexOf(end, labelAt);
    if (endAt < 0) return;
    yield { label, text: text.slice(from, endAt + end.length) };
  }
}

async function keyOf({ label, text }: Block, password: string): Promise<KeyObject> {
  const isOld = text.includes('\nProc-Type:');
  if (isOld) {
    // The legacy format derives its key in one round, regardless of the file.
    if (!/^(?:RSA|EC) PRIVATE KEY$/.test(label)) throw new TypeError('encrypted twice');
    return createPrivateKey({ key: text, passphrase: password });
  }
  if (label !== 'ENCRYPTED PRIVATE KEY') return openPlainKey(text);
  const forge = await loadForge();
  const base64 = text.split('\n').slice(1, -1).join('');
  const structure = forge.asn1.fromDer(Buffer.from(base64, 'base64').toString('latin1'));
  checkWork(forge, structure);
  if (childrenOf(structure).length !== 2) throw new TypeError('not an encrypted key');
  // Encoded again from the checked values: another parser might read the original bytes differently.
  const key = Buffer.from(forge.asn1.toDer(structure).getBytes(), 'latin1');
  return createPrivateKey({ key, format: 'der', type: 'pkcs8', passphrase: password });
}

async function openPem(text: string, password: string): Promise<KeyFile> {
  const blocks = [...blocksIn(text)];
  const block = blocks.find(({ label }) => /^(?:[A-Z]+ )*PRIVATE KEY$/.test(label));
  const certificates = blocks.filter(({ label }) => label === 'CERTIFICATE').map((each) => `${each.text}\n`);
  checkCount(certificates.length);
  return { key: block && pkcs8Of(await keyOf(block, password)), certificates };
}

const isCertificate = (file: Buffer): boolean => {
  try {
    return new X509Certificate(file).raw.length > 0;
  } catch {
    return false;
  }
};

function sorted({ key, certificates }: KeyFile): KeyFile {
  if (key === undefined) return { key, certificates };
  const opened = createPrivateKey(key);
  const isOwn = (certificate: string): boolean => new X509Certificate(certificate).checkPrivateKey(opened);
  const own = certificates.filter(isOwn);
  return { key, certificates: [...own, ...certificates.filter((each) => !own.includes(each))] };
}

/** Opens a file with bounded size and password. @throws the fault of the file */
export async function keyFileContents(file: Buffer, password: string): Promise<KeyFile> {
  if (file.includes('-----BEGIN')) return sorted(await openPem(file.toString('latin1'), password));
  if (isCertificate(file)) return { key: undefined, certificates: [new X509Certificate(file).toString()] };
  return sorted(await openPkcs12(file, password));
}
