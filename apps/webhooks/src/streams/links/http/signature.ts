import { createHmac, hash } from 'node:crypto';

export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

const ID_CHARACTERS = 24;

const batchId = (uuids: readonly string[]): string =>
  `msg_${hash('sha256', uuids.join('\n'), 'base64url').slice(0, ID_CHARACTERS)}`;

/** The newest key first. @param at Unix seconds of this attempt: receivers refuse old ones */
export function signatureHeaders(
  keys: readonly Uint8Array[],
  { uuids, at, body }: { readonly uuids: readonly string[]; readonly at: number; readonly body: string },
): SignatureHeaders {
  const id = batchId(uuids);
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signatures.join(' ') };
}
