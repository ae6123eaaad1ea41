import type forgeModule from 'node-forge';
import type { asn1, pki } from 'node-forge';

export type Forge = typeof forgeModule;
export type Node = asn1.Asn1;

/** Maximum iterations of key derivation (PBKDF1, PBKDF2, PKCS#12) of all parts of a file together. */
export const MAX_ROUNDS = 50_000;
/** Maximum product of scrypt's N, r and p of all parts of a file together: OpenSSL writes 131,072. */
export const MAX_SCRYPT_WORK = 2 ** 18;
/** Maximum memory of one scrypt, 128·N·r bytes. */
const MAX_SCRYPT_BYTES = 32 * 1024 * 1024;
/** Maximum encrypted parts of a PKCS#12 file: programs write one or two. */
const MAX_ENCRYPTED_PARTS = 8;
const MAX_DEPTH = 64;

const SEQUENCE = '\x30';

export const childrenOf = (node: Node): Node[] => (Array.isArray(node.value) ? node.value : []);

const parsed = ({ asn1 }: Forge, bytes: string): Node | undefined => {
  try {
    return asn1.fromDer(bytes);
  } catch {
    return undefined;
  }
};

/** Every structure in a file, including those in octet strings. */
function* structuresIn(forge: Forge, node: Node, depth = 0): Generator<Node> {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
  yield node;
  for (const child of childrenOf(node)) yield* structuresIn(forge, child, depth + 1);
  const isText = node.type === forge.asn1.Type.OCTETSTRING && typeof node.value === 'string';
  const within =
    isText && (node.value as string).startsWith(SEQUENCE) ? parsed(forge, node.value as string) : undefined;
  if (within) yield* structuresIn(forge, within, depth + 1);
}

/** An unsigned integer; one that exceeds a number is `Infinity` or loses digits, and is far above every limit. */
const numberOf = ({ value }: Node): number =>
  typeof value === 'string' ? Number.parseInt(Buffer.from(value, 'latin1').toString('hex') || '0', 16) : Infinity;

/** The work that a file requires. Each addition is checked, so nothing is derived for a file above a limit. */
class Work {
  #rounds = 0;
  #scrypt = 0;

  /**
   * Adds the work of the parameters in a structure, recognised by their shape: a salt followed by the number of iterations (RFC 7292, RFC 8018), or
   * the three numbers of scrypt (RFC 7914).
   */
  addAll(forge: Forge, file: Node): void {
    const { OCTETSTRING, INTEGER } = forge.asn1.Type;
    for (const structure of structuresIn(forge, file)) {
      const children = childrenOf(structure);
      children.forEach(({ type }, i) => {
        if (type !== OCTETSTRING) return;
        const behind = children.slice(i + 1, i + 4);
        const end = behind.findIndex((node) => node.type !== INTEGER);
        this.#add((end < 0 ? behind : behind.slice(0, end)).map(numberOf));
      });
    }
  }

  #add([first = 0, r, p]: readonly number[]): void {
    if (r === undefined || p === undefined) this.#rounds += first;
    else if (128 * first * r > MAX_SCRYPT_BYTES) throw new RangeError('too much memory for key derivation');
    else this.#scrypt += first * r * p;
    if (!(this.#rounds <= MAX_ROUNDS)) throw new RangeError('too many rounds of key derivation');
    if (!(this.#scrypt <= MAX_SCRYPT_WORK)) throw new RangeError('too much work of key derivation');
  }
}

interface Encrypted {
  readonly algorithm: Node;
  readonly content: string;
}

/** The encrypted parts of a PKCS#12 file. */
function encryptedIn(forge: Forge, file: Node): Encrypted[] {
  const { asn1, pki } = forge;
  return [...structuresIn(forge, file)].flatMap((structure) => {
    const [type, algorithm, content] = childrenOf(structure);
    if (!content || !algorithm || type?.type !== asn1.Type.OID) return [];
    if (asn1.derToOid(type.value as string) !== pki.oids['data']) return [];
    const parts = Array.isArray(content.value) ? content.value.map(({ value }) => value as string) : [content.value];
    return [{ algorithm, content: parts.join('') }];
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

/** Checks a file's unencrypted key derivation parameters, before any derivation. @throws RangeError above a limit */
export function checkWork(forge: Forge, file: Node): void {
  new Work().addAll(forge, file);
}

/**
 * Checks a PKCS#12 file including its encrypted parts: each is decrypted, within the limits, to read its parameters.
 * @throws RangeError above a limit
 */
export function checkPkcs12Work(forge: Forge, file: Node, password: string): void {
  const work = new Work();
  work.addAll(forge, file);
  const parts = encryptedIn(forge, file);
  if (parts.length > MAX_ENCRYPTED_PARTS) throw new RangeError('too many encrypted parts');
  const { pbe } = forge.pki as typeof pki & { pbe: Pbe };
  for (const { algorithm, content } of parts) {
    const [oid, parameters] = childrenOf(algorithm);
    const cipher = pbe.getCipher(forge.asn1.derToOid(oid!.value as string), parameters!, password);
    cipher.update(forge.util.createBuffer(content));
    const inner = cipher.finish() ? parsed(forge, cipher.output.getBytes()) : undefined;
    if (inner) work.addAll(forge, inner);
  }
}
