import { createHmac } from 'node:crypto';
import { bytesOf, childrenOf, derOf, type Node, numberOf, oidOf, parsedBer } from './ber.ts';
import {
  derivedKey,
  digestOf,
  hmacOf,
  type Password,
  passwordForms,
  pkcs12Key,
  Purpose,
  Work,
} from './key-derivation.ts';
import { byFirstForm, decrypted } from './password-encryption.ts';
import { KeyError } from './private-keys.ts';

export interface Pkcs12Content {
  readonly keys: readonly Buffer[];
  readonly certificates: readonly Buffer[];
}

const DATA = '1.2.840.113549.1.7.1';
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6';
const PBMAC1 = '1.2.840.113549.1.5.14';
const X509 = '1.2.840.113549.1.9.22.1';
const BAGS = '1.2.840.113549.1.12.10.1.';
const bagTypes = { key: `${BAGS}1`, encryptedKey: `${BAGS}2`, certificate: `${BAGS}3`, nested: `${BAGS}6` };

const MAX_ENTRIES = 32;
const MAX_PARTS = 8;

const tooMany = (): KeyError => new KeyError('key_file_limits', 'too many keys and certificates');

const within = (node: Node | undefined): Node | undefined => childrenOf(node)[0];

function macOf(macData: Node, content: Buffer, { octets, bmp }: Password, work: Work): Buffer {
  const [digestInfo, salt, rounds] = childrenOf(macData);
  const [oid, parameters] = childrenOf(within(digestInfo));
  if (oidOf(oid) === PBMAC1) {
    const [derivation, scheme] = childrenOf(parameters);
    const { name } = hmacOf(oidOf(within(scheme)));
    const keyBytes = numberOf(childrenOf(childrenOf(derivation)[1])[2]);
    if (!(keyBytes <= 64)) throw new TypeError('a key of another length');
    return createHmac(name, derivedKey(derivation, octets, keyBytes, work))
      .update(content)
      .digest();
  }
  const digest = digestOf(oidOf(oid));
  const key = pkcs12Key(
    bmp,
    {
      digest,
      purpose: Purpose.mac,
      salt: bytesOf(salt),
      rounds: rounds ? numberOf(rounds) : 1,
      bytes: digest.bytes,
    },
    work,
  );
  return createHmac(digest.name, key).update(content).digest();
}

function* partsOf(content: Buffer, password: Password, work: Work): Generator<Node> {
  const parts = childrenOf(parsedBer(content));
  if (parts.length > MAX_PARTS) throw tooMany();
  for (const part of parts) {
    const [type, value] = childrenOf(part);
    if (oidOf(type) === DATA) yield parsedBer(bytesOf(within(value)));
    if (oidOf(type) !== ENCRYPTED_DATA) continue;
    const [, encrypted] = childrenOf(within(value));
    const [, algorithm, bytes] = childrenOf(encrypted);
    yield parsedDecrypted(decrypted(algorithm, bytesOf(bytes), password, work));
  }
}

/** With a wrong key, padding may be right by chance. */
function parsedDecrypted(bytes: Buffer): Node {
  try {
    const structure = parsedBer(bytes);
    if (structure.constructed) return structure;
  } catch {
    // Thrown below.
  }
  throw new KeyError('wrong_password', 'the password does not decrypt the file');
}

export function decryptedKey(info: Node | undefined, password: Password, work: Work): Buffer {
  const [algorithm, bytes] = childrenOf(info);
  return derOf(parsedDecrypted(decrypted(algorithm, bytesOf(bytes), password, work)));
}

class Entries implements Pkcs12Content {
  readonly keys: Buffer[] = [];
  readonly certificates: Buffer[] = [];
  readonly #password: Password;
  readonly #work: Work;
  #count = 0;

  constructor(password: Password, work: Work) {
    this.#password = password;
    this.#work = work;
  }

  add(bags: Node): void {
    for (const bag of childrenOf(bags)) {
      if (++this.#count > MAX_ENTRIES) throw tooMany();
      const [type, tagged] = childrenOf(bag);
      const value = within(tagged);
      const oid = oidOf(type);
      if (oid === bagTypes.nested && value) this.add(value);
      if (oid === bagTypes.key && value) this.keys.push(derOf(value));
      if (oid === bagTypes.encryptedKey) this.keys.push(decryptedKey(value, this.#password, this.#work));
      if (oid !== bagTypes.certificate) continue;
      const [kind, certificate] = childrenOf(value);
      if (oidOf(kind) === X509) this.certificates.push(bytesOf(within(certificate)));
    }
  }
}

export function readPkcs12(file: Node, text: string): Pkcs12Content {
  const work = new Work();
  const [, safe, macData] = childrenOf(file);
  const [type, tagged] = childrenOf(safe);
  if (oidOf(type) !== DATA) throw new TypeError('a file that is signed in place of a password');
  const content = bytesOf(within(tagged));
  return byFirstForm(passwordForms(text), (password) => {
    const expected = macData && bytesOf(childrenOf(within(macData))[1]);
    if (expected && !macOf(macData, content, password, work).equals(expected))
      throw new KeyError('wrong_password', 'the password is another one');
    const entries = new Entries(password, work);
    for (const part of partsOf(content, password, work)) entries.add(part);
    return entries;
  });
}
