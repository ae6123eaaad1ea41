import { Fault, type FaultKind } from '@tidings/kernel';
import type { FaultView } from './generated/tidings/rpc/v1/faults.ts';

const kinds: Readonly<Record<FaultKind, true>> = {
  malformed: true,
  argument: true,
  unauthorized: true,
  forbidden: true,
  notFound: true,
  conflict: true,
  tooLarge: true,
  throttled: true,
  unavailable: true,
  bug: true,
};

const isKind = (kind: string): kind is FaultKind => Object.hasOwn(kinds, kind);

/** Internal text and cause are not sent. */
export const viewOfFault = ({ kind, message: text, retryAfterSeconds, effect, field }: Fault): FaultView => ({
  kind,
  text,
  retryAfterSeconds,
  withoutEffect: effect === 'none' ? true : undefined,
  field,
});

export const faultOfView = ({ kind, text, retryAfterSeconds, withoutEffect, field }: FaultView): Fault =>
  isKind(kind)
    ? new Fault(kind, text, {
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        effect: withoutEffect ? 'none' : undefined,
        field,
      })
    : Fault.bug(`unknown kind of fault: ${kind}: ${text}`);
