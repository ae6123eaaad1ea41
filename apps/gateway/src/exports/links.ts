import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@tidings/kernel';

/** How long a link holds (R-N7). */
const VALID_SECONDS = 24 * 60 * 60;
const SECONDS = /^\d{1,12}$/;
const SIGNATURE = /^[\da-f]{64}$/;

/** An archive: its name, which others may have too, and the export that has made it. */
export interface Signed {
  readonly archive: string;
  readonly job: string;
}

/** What a link carries beside the archive's name, as it came. */
export interface Proof {
  readonly exp: string;
  readonly sig: string;
}

/** Links to archives: whoever has one may download what it leads to, for 24 hours (R-N7). */
export interface ExportLinks {
  linkTo(signed: Signed): string;
  /** False for what can be no proof, or has expired, whatever it is of. */
  mayHold(proof: Proof): boolean;
  /** Whether the proof was signed for this export. In constant time. */
  isProofOf(signed: Signed, proof: Proof): boolean;
}

export interface ExportLinksParts {
  readonly key: KeyObject;
  readonly clock: Clock;
  readonly publicUrl: string;
}

export function exportLinks({ key, clock, publicUrl }: ExportLinksParts): ExportLinks {
  const nowSeconds = (): number => Math.floor(clock.now() / 1000);
  // The job is signed and not shown: who knows it may ask for further links.
  const signature = ({ archive, job }: Signed, exp: string): Buffer =>
    createHmac('sha256', key).update(`${archive}\n${job}\n${exp}`).digest();
  return {
    linkTo(signed) {
      const exp = String(nowSeconds() + VALID_SECONDS);
      return `${publicUrl}/exports/${signed.archive}?exp=${exp}&sig=${signature(signed, exp).toString('hex')}`;
    },
    mayHold: ({ exp, sig }) => SECONDS.test(exp) && SIGNATURE.test(sig) && Number(exp) > nowSeconds(),
    isProofOf: (signed, { exp, sig }) => timingSafeEqual(signature(signed, exp), Buffer.from(sig, 'hex')),
  };
}
