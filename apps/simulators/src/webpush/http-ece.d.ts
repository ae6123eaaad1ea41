/** http_ece has no types of its own. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Reading {
    readonly version: 'aes128gcm';
    readonly privateKey: ECDH;
    readonly authSecret: Uint8Array;
  }

  interface Writing extends Reading {
    /** The browser's public key in base64url. */
    readonly dh: string;
    readonly salt: Uint8Array;
  }

  export function decrypt(body: Uint8Array, options: Reading): Buffer;
  export function encrypt(plaintext: Uint8Array, options: Writing): Buffer;
}
