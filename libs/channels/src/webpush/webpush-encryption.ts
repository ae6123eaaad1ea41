import { createCipheriv, createECDH, type CipherGCM, hash, randomFillSync } from 'node:crypto';

/** Services accept 4,096 bytes, 103 of them for header, delimiter and tag (R-I23). */
export const PLAINTEXT_LIMIT = 3993;

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
const HEADER_BYTES = SALT_BYTES + 5 + POINT_BYTES;
const DELIMITER = Buffer.of(2);

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const KEY_LABEL = ascii('WebPush: info\0');
const CONTENT_KEY_INFO = ascii('Content-Encoding: aes128gcm\0\x01');
const NONCE_INFO = ascii('Content-Encoding: nonce\0\x01');

const INNER = 0x36;
const OUTER = 0x5c;
const MESSAGE_MAX = KEY_LABEL.length + 2 * POINT_BYTES + 1;
const inner = Buffer.alloc(BLOCK_BYTES + MESSAGE_MAX);
const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);

/** An Hmac object takes eight times as long as two one-shot hashes. Keys have at most 64 bytes. */
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

export interface SubscriptionKeys {
  readonly publicKey: Uint8Array;
  readonly authSecret: Uint8Array;
}

export interface FixedValues {
  readonly privateKey: Uint8Array;
  readonly salt: Uint8Array;
}

/** Each push has a random salt, so no content key and nonce are used twice (RFC 8291). */
export class WebPushEncryption {
  readonly #ecdh = createECDH(CURVE);
  readonly #salt: Uint8Array | undefined;
  readonly #header = Buffer.alloc(HEADER_BYTES);
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
