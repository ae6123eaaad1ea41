// Imports only modules that Node can load from source.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { childrenOf, isInteger, isOctets, type Node, numberOf, parsedBer } from './ber.ts';
import { passwordForms, Work } from './key-derivation.ts';
import { byFirstForm } from './password-encryption.ts';
import { type PemBlock, pemBlocks, pemOfBlock } from './pem.ts';
import { decryptedKey, readPkcs12 } from './pkcs12.ts';
import { checkedKey, derKey, isEncrypted, isKey, KeyError } from './private-keys.ts';

export interface KeyFile {
  readonly key: string | undefined;
  readonly certificates: readonly string[];
}

const MAX_CERTIFICATES = 32;
const PKCS12_VERSION = 3;

const pemOfCertificate = (der: Buffer): string => pemOfBlock({ label: 'CERTIFICATE', headers: [], der });

function keyFileOf(keys: readonly KeyObject[], certificates: readonly Buffer[]): KeyFile {
  const parsed = certificates.map((der) => ({ pem: pemOfCertificate(der), certificate: new X509Certificate(der) }));
  const ownOf = (key: KeyObject) => parsed.filter(({ certificate }) => certificate.checkPrivateKey(key));
  const key = keys.find((each) => ownOf(each).length > 0) ?? keys[0];
  const own = key ? ownOf(checkedKey(key)) : [];
  return {
    key: key?.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificates: [...own, ...parsed.filter((each) => !own.includes(each))].map(({ pem }) => pem),
  };
}

function legacyKey(block: PemBlock, passphrase: string): KeyObject {
  if (!/^(?:RSA|EC) PRIVATE KEY$/.test(block.label)) throw new TypeError('encrypted twice');
  try {
    return createPrivateKey({ key: pemOfBlock(block), passphrase });
  } catch (error) {
    throw new KeyError('wrong_password', error instanceof Error ? error.message : '');
  }
}

const decryptedPkcs8 = (info: Node, password: string): KeyObject => {
  const work = new Work();
  return derKey(byFirstForm(passwordForms(password), (form) => decryptedKey(info, form, work)));
};

function keyOf(block: PemBlock, password: string): KeyObject {
  if (!isEncrypted(block)) return derKey(block.der);
  return block.headers.length > 0 ? legacyKey(block, password) : decryptedPkcs8(parsedBer(block.der), password);
}

function openPem(text: string, password: string): KeyFile {
  const blocks = [...pemBlocks(text)];
  const certificates = blocks.filter(({ label }) => /^(?:X509 |TRUSTED )?CERTIFICATE$/.test(label));
  if (certificates.length > MAX_CERTIFICATES) throw new KeyError('key_file_limits', 'too many certificates');
  const key = blocks.find(isKey);
  return keyFileOf(
    key ? [keyOf(key, password)] : [],
    certificates.map(({ der }) => der),
  );
}

const certificateIn = (file: Buffer): X509Certificate | undefined => {
  try {
    return new X509Certificate(file);
  } catch {
    return undefined;
  }
};

function openDer(file: Buffer, password: string): KeyFile {
  const certificate = certificateIn(file);
  if (certificate) return keyFileOf([], [certificate.raw]);
  const structure = parsedBer(file);
  const [first, second] = childrenOf(structure);
  if (isInteger(first) && numberOf(first) === PKCS12_VERSION) {
    const { keys, certificates } = readPkcs12(structure, password);
    return keyFileOf(keys.map(derKey), certificates);
  }
  return keyFileOf([isOctets(second) && !isInteger(first) ? decryptedPkcs8(structure, password) : derKey(file)], []);
}

function textOf(file: Buffer): string {
  if (file.length % 2 === 0 && file.readUInt16LE(0) === 0xfeff) return file.toString('utf16le');
  if (file.length % 2 === 0 && file.readUInt16LE(0) === 0xfffe) return Buffer.from(file).swap16().toString('utf16le');
  return file.toString('latin1');
}

export function keyFileContents(file: Buffer, password: string): KeyFile {
  const text = file.length < 2 ? '' : textOf(file);
  return text.includes('-----BEGIN') ? openPem(text, password) : openDer(file, password);
}
