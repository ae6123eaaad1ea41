import { createCipheriv, createECDH, type CipherGCM, hash, randomFillSync } from 'node:crypto';

/** Maximum bytes of a plaintext: a push service accepts 4,096 bytes, of which the header, the delimiter and the tag take 103 (R-I23). */
export const PLAINTEXT_LIMIT = 3993;

/** Bytes of a P-256 point: 0x04, x, y. */
export const POINT_BYTES = 65;
export const AUTH_BYTES = 16;

const CURVE = 'prime256v1';
const RECORD_SIZE = 4096;
const SALT_BYTES = 16;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HASH_BYTES = 32;
const BLOCK_BYTES = 64;
/** Salt, record size, length of the key id, and the sender's public key as key id (RFC 8188). */
const HEADER_BYTES = SALT_BYTES + 5 + POINT_BYTES;
/** Ends the plaintext of the last record. */
const DELIMITER = Buffer.of(2);

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const KEY_LABEL = ascii('WebPush: info\0');
/** HKDF-Expand for one block: the label, and the number of the block. */
const CONTENT_KEY_INFO = ascii('Content-Encoding: aes128gcm\0\x01');
const NONCE_INFO = ascii('Content-Encoding: nonce\0\x01');

const INNER = 0x36;
const OUTER = 0x5c;
const MESSAGE_MAX = KEY_LABEL.length + 2 * POINT_BYTES + 1;
const inner = Buffer.alloc(BLOCK_BYTES + MESSAGE_MAX);
const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);

/** HMAC-SHA-256 of two one-shot hashes: an Hmac object takes eight times as long. Keys have at most 64 bytes, messages {@link MESSAGE_MAX}. */
function hmac(key: Uint8Array, message: Uint8Array): Buffer {
  for (let i = 0; i < BLOCK_BYTES; i++) {
    const byte = i < key.length ? key[i]! : 0;
    inner[i] = byte ^ INNER;
    outer[i] = byte ^ OUTER;
  }
  inner.set(message, BLOCK_BYTES);
  outer.set(hash('sha256', inner.subarray(0, BLOCK_BYTES + message.length), 'buffer'), BLOCK_BYTES);
  return hash('sha256', outer, 'buffer');
}

/** Random bytes for many salts at a time. */
class Salts {
  readonly #pool = Buffer.alloc(SALT_BYTES * 256);
  #at = this.#pool.length;

  next(): Uint8Array {
    if (this.#at === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#at = 0;
    }
    this.#at += SALT_BYTES;
    return this.#pool.subarray(this.#at - SALT_BYTES, this.#at);
  }
}

const salts = new Salts();

/** The keys of a subscription. */
export interface SubscriptionKeys {
  /** `p256dh`: an uncompressed point. */
  readonly publicKey: Uint8Array;
  /** `auth` */
  readonly authSecret: Uint8Array;
}

/** Fixed values for test vectors. */
export interface FixedValues {
  readonly privateKey: Uint8Array;
  readonly salt: Uint8Array;
}

/**
 * Encrypts pushes for browsers (RFC 8291, aes128gcm of RFC 8188) with one sender key pair. Each push has a random salt of its own, so no content key
 * and nonce are used twice.
 */
export class WebPushEncryption {
  readonly #ecdh = createECDH(CURVE);
  readonly #salt: Uint8Array | undefined;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  /** The info of the key derivation, with room for a subscription's public key. */
  readonly #info: Buffer;

  constructor(fixed?: FixedValues) {
    if (fixed) this.#ecdh.setPrivateKey(fixed.privateKey);
    else this.#ecdh.generateKeys();
    this.#salt = fixed?.salt;
    const publicKey = this.#ecdh.getPublicKey();
    this.#header.writeUInt32BE(RECORD_SIZE, SALT_BYTES);
    this.#header[SALT_BYTES + 4] = POINT_BYTES;
    this.#header.set(publicKey, SALT_BYTES + 5);
    this.#info = Buffer.concat([KEY_LABEL, Buffer.alloc(POINT_BYTES), publicKey, Buffer.of(1)]);
  }

  /** The request body for a plaintext of at most {@link PLAINTEXT_LIMIT} bytes; undefined if the keys are unusable: no point on the curve, or of another size. */
  encrypt(plaintext: Uint8Array, { publicKey, authSecret }: SubscriptionKeys): Buffer | undefined {
    if (publicKey.length !== POINT_BYTES || authSecret.length !== AUTH_BYTES) return undefined;
    const secret = this.#sharedSecret(publicKey);
    if (!secret) return undefined;
    this.#info.set(publicKey, KEY_LABEL.length);
    const salt = this.#salt ?? salts.next();
    const pseudoRandomKey = hmac(salt, hmac(hmac(authSecret, secret), this.#info));
    const key = hmac(pseudoRandomKey, CONTENT_KEY_INFO).subarray(0, KEY_BYTES);
    const nonce = hmac(pseudoRandomKey, NONCE_INFO).subarray(0, NONCE_BYTES);
    return this.#sealed(plaintext, salt, createCipheriv('aes-128-gcm', key, nonce));
  }

  #sealed(plaintext: Uint8Array, salt: Uint8Array, cipher: CipherGCM): Buffer {
    const end = HEADER_BYTES + plaintext.length;
    const body = Buffer.allocUnsafe(end + 1 + TAG_BYTES);
    body.set(this.#header);
    body.set(salt);
    body.set(cipher.update(plaintext), HEADER_BYTES);
    body.set(cipher.update(DELIMITER), end);
    cipher.final();
    body.set(cipher.getAuthTag(), end + 1);
    return body;
  }

  /** OpenSSL checks that the point is on the curve. */
  #sharedSecret(publicKey: Uint8Array): Buffer | undefined {
    try {
      return this.#ecdh.computeSecret(publicKey);
    } catch {
      return undefined;
    }
  }
}
