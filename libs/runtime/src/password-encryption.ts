import { createDecipheriv } from 'node:crypto';
import forge from 'node-forge';
import { bytesOf, childrenOf, type Node, numberOf, oidOf } from './ber.ts';
import { derivedKey, digestOf, type Password, pkcs12Key, Purpose, type Work } from './key-derivation.ts';
import { KeyError } from './private-keys.ts';

type Decrypt = (key: Buffer, iv: Buffer, content: Buffer) => Buffer;

interface Cipher {
  readonly keyBytes: number;
  readonly ivBytes: number;
  readonly decrypt: Decrypt;
}

const byNode =
  (name: string): Decrypt =>
  (key, iv, content) => {
    const decipher = createDecipheriv(name, key, iv);
    return Buffer.concat([decipher.update(content), decipher.final()]);
  };

const latin1 = (bytes: Buffer): string => bytes.toString('latin1');

interface Decipher {
  update(bytes: forge.util.ByteStringBuffer): unknown;
  finish(): boolean;
  readonly output: { getBytes(): string };
}

function finished(decipher: Decipher, content: Buffer): Buffer {
  decipher.update(forge.util.createBuffer(latin1(content)));
  if (!decipher.finish()) throw new RangeError('wrong padding');
  return Buffer.from(decipher.output.getBytes(), 'latin1');
}

/** Node loads no provider of OpenSSL 3 with RC2 and DES. */
const rc2 = (keyBytes: number): Cipher => ({
  keyBytes,
  ivBytes: 8,
  decrypt(key, iv, content) {
    const decipher = forge.rc2.createDecryptionCipher(latin1(key), keyBytes * 8);
    decipher.start(latin1(iv));
    return finished(decipher, content);
  },
});
const des: Cipher = {
  keyBytes: 8,
  ivBytes: 8,
  decrypt(key, iv, content) {
    const decipher = forge.cipher.createDecipher('DES-CBC', latin1(key));
    decipher.start({ iv: latin1(iv) });
    return finished(decipher, content);
  },
};
const cipher = (name: string, keyBytes: number, ivBytes = 16): Cipher => ({ keyBytes, ivBytes, decrypt: byNode(name) });
const tripleDes = cipher('des-ede3-cbc', 24, 8);

const RC2_CBC = '1.2.840.113549.3.2';

const ciphers: ReadonlyMap<string, Cipher> = new Map([
  ['2.16.840.1.101.3.4.1.2', cipher('aes-128-cbc', 16)],
  ['2.16.840.1.101.3.4.1.22', cipher('aes-192-cbc', 24)],
  ['2.16.840.1.101.3.4.1.42', cipher('aes-256-cbc', 32)],
  ['1.2.392.200011.61.1.1.1.2', cipher('camellia-128-cbc', 16)],
  ['1.2.392.200011.61.1.1.1.3', cipher('camellia-192-cbc', 24)],
  ['1.2.392.200011.61.1.1.1.4', cipher('camellia-256-cbc', 32)],
  ['1.2.840.113549.3.7', tripleDes],
  ['1.3.14.3.2.7', des],
]);

const pkcs12Ciphers: ReadonlyMap<string, Cipher> = new Map([
  ['1.2.840.113549.1.12.1.3', tripleDes],
  ['1.2.840.113549.1.12.1.4', cipher('des-ede-cbc', 16, 8)],
  ['1.2.840.113549.1.12.1.5', rc2(16)],
  ['1.2.840.113549.1.12.1.6', rc2(5)],
]);

const SHA1 = digestOf('1.3.14.3.2.26');
const PBES2 = '1.2.840.113549.1.5.13';

const rc2Versions: ReadonlyMap<number, Cipher> = new Map([
  [160, rc2(5)],
  [120, rc2(8)],
  [58, rc2(16)],
]);

function pbes2(parameters: Node | undefined, content: Buffer, { octets }: Password, work: Work): Buffer {
  const [derivation, scheme] = childrenOf(parameters);
  const [oid, value] = childrenOf(scheme);
  const isRc2 = oidOf(oid) === RC2_CBC;
  const [version, vector] = isRc2 ? childrenOf(value) : [undefined, value];
  const found = isRc2 ? rc2Versions.get(numberOf(version)) : ciphers.get(oidOf(oid));
  if (!found) throw new TypeError(`unknown cipher ${oidOf(oid)}`);
  return found.decrypt(derivedKey(derivation, octets, found.keyBytes, work), bytesOf(vector), content);
}

export function decrypted(algorithm: Node | undefined, content: Buffer, password: Password, work: Work): Buffer {
  const [oid, parameters] = childrenOf(algorithm);
  const [salt, rounds] = childrenOf(parameters);
  const found = pkcs12Ciphers.get(oidOf(oid));
  if (!found && oidOf(oid) !== PBES2) throw new TypeError(`unknown encryption ${oidOf(oid)}`);
  const derived = (purpose: 1 | 2, bytes: number): Buffer => {
    const derivation = { digest: SHA1, purpose, salt: bytesOf(salt), rounds: numberOf(rounds), bytes };
    return pkcs12Key(password.bmp, derivation, work);
  };
  try {
    return found
      ? found.decrypt(derived(Purpose.key, found.keyBytes), derived(Purpose.iv, found.ivBytes), content)
      : pbes2(parameters, content, password, work);
  } catch (error) {
    if (error instanceof KeyError || error instanceof TypeError) throw error;
    throw new KeyError('wrong_password', 'the password does not decrypt the file');
  }
}

export function byFirstForm<Result>(forms: readonly Password[], open: (password: Password) => Result): Result {
  const [form, ...others] = forms;
  try {
    return open(form!);
  } catch (error) {
    if (!(error instanceof KeyError) || error.reason !== 'wrong_password' || others.length === 0) throw error;
    return byFirstForm(others, open);
  }
}
