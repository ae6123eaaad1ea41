import type { KeyObject } from 'node:crypto';
import { keyedId } from '@tidings/audience';
import { addressTexts } from '@tidings/channels';

/** Keys of the hashes that replace callers' text in indexes. */
export interface IdentityKeys {
  readonly device: KeyObject;
  readonly token: KeyObject;
}

export const tokenHash = (tokenKey: KeyObject, text: string): string => keyedId(tokenKey, text);

/** The hashes under which an e-mail address may be stored, the current one first. */
export const addressHashes = (tokenKey: KeyObject, address: string): readonly string[] =>
  addressTexts(address).map((text) => tokenHash(tokenKey, text));
