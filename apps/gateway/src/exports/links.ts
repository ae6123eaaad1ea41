import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@tidings/kernel';
import type { MasterKeys } from '@tidings/runtime';

const VALID_SECONDS = 24 * 60 * 60;
const SECONDS = /^\d{1,12}$/;
const SIGNATURE = /^[\da-f]{64}$/;

export interface Signed {
  readonly archive: string;
  readonly job: string;
}

export interface Proof {
  readonly exp: string;
  readonly sig: string;
}

export interface ExportLinks {
  linkTo(signed: Signed): string;
  mayHold(proof: Proof): boolean;
  /** In constant time. */
  isProofOf(signed: Signed, proof: Proof): boolean;
}

export interface ExportLinksDeps {
  /** The first key signs; any of them verifies. */
  readonly keys: readonly [KeyObject, ...KeyObject[]];
  readonly clock: Clock;
  readonly publicUrl: string;
}

export const linkKeysFrom = ([current, ...others]: MasterKeys): ExportLinksDeps['keys'] => {
  const keyFrom = (masterKey: Uint8Array): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', 'tidings/export-link', 32)));
  return [keyFrom(current), ...others.map(keyFrom)];
};

export function exportLinks({ keys, clock, publicUrl }: ExportLinksDeps): ExportLinks {
  const nowSeconds = (): number => Math.floor(clock.now() / 1000);
  // The job is signed but not shown: its id gives access to further links.
  const signature = (key: KeyObject, { archive, job }: Signed, exp: string): Buffer =>
    createHmac('sha256', key).update(`${archive}\n${job}\n${exp}`).digest();
  return {
    linkTo(signed) {
      const exp = String(nowSeconds() + VALID_SECONDS);
      return `${publicUrl}/exports/${signed.archive}?exp=${exp}&sig=${signature(keys[0], signed, exp).toString('hex')}`;
    },
    mayHold: ({ exp, sig }) => SECONDS.test(exp) && SIGNATURE.test(sig) && Number(exp) > nowSeconds(),
    isProofOf(signed, { exp, sig }) {
      const given = Buffer.from(sig, 'hex');
      return keys.some((key) => timingSafeEqual(signature(key, signed, exp), given));
    },
  };
}
