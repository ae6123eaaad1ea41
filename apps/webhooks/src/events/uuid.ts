import { hash } from 'node:crypto';

/** It must never change. */
const NAMESPACE = Buffer.from('76b0b3a31b044ed8a4656b38e7ab5fab', 'hex');

export interface Occurrence {
  readonly messageId: bigint;
  readonly application: string;
  readonly name: string;
  readonly occurrence?: number;
}

const VARIANTS = '89ab'.repeat(4);

/** The same at every redelivery (R-EV4). */
export function eventUuids({ messageId, application, name, occurrence = 1 }: Occurrence): (hwid: string) => string {
  const prefix = Buffer.from(`${messageId}\n${application}\n${name}\n${occurrence}\n`);
  let input = Buffer.concat([NAMESPACE, prefix, Buffer.alloc(256)]);
  const from = NAMESPACE.length + prefix.length;
  return (hwid) => {
    if (from + 3 * hwid.length > input.length)
      input = Buffer.concat([input.subarray(0, from), Buffer.alloc(3 * hwid.length)]);
    const end = from + input.write(hwid, from);
    const hex = hash('sha1', input.subarray(0, end), 'hex');
    const third = `5${hex.slice(13, 16)}`;
    const fourth = `${VARIANTS[Number.parseInt(hex[16]!, 16)]}${hex.slice(17, 20)}`;
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${third}-${fourth}-${hex.slice(20, 32)}`;
  };
}
