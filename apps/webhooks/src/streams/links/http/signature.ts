import { createHmac, hash } from 'node:crypto';

/** Headers of a post by the Standard Webhooks specification. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** Characters of an id: 144 bits. */
const ID_CHARACTERS = 24;

/** The id of a batch: the same events in the same order have the same id whenever they are posted. */
const batchId = (uuids: readonly string[]): string =>
  `msg_${hash('sha256', uuids.join('\n'), 'base64url').slice(0, ID_CHARACTERS)}`;

/**
 * Signs the body of a post with every key that is valid, the newest one first.
 * @param at Unix seconds of this attempt: receivers refuse old ones
 */
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
