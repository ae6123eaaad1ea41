import type { KeyObject } from 'node:crypto';
import { keyedId } from '@tidings/audience';
import { addressTexts } from '@tidings/channels';

export interface IdentityKeys {
  readonly device: KeyObject;
  readonly token: KeyObject;
}

export const tokenHash = (tokenKey: KeyObject, text: string): string => keyedId(tokenKey, text);

export const addressHashes = (tokenKey: KeyObject, address: string): readonly string[] =>
  addressTexts(address).map((text) => tokenHash(tokenKey, text));
