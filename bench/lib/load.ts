import { hash } from 'node:crypto';
import autocannon from 'autocannon';
import { percentile } from './figure.ts';

/** As fast as they are answered. @returns the 99th percentile of their milliseconds @throws if any reply is not a success: the figure would be meaningless */
export async function post(
  url: string,
  options: {
    readonly amount: number;
    readonly connections: number;
    readonly headers?: Record<string, string>;
    readonly body: (i: number) => string;
  },
): Promise<number> {
  const latencies: number[] = [];
  let next = 0;
  const instance = autocannon({
    url,
    method: 'POST',
    amount: options.amount,
    connections: options.connections,
    headers: { 'content-type': 'application/json', ...options.headers },
    requests: [{ setupRequest: (request) => ({ ...request, body: options.body(next++) }) }],
  });
  instance.on('response', (_client, status, _bytes, ms) => {
    if (status === 200) latencies.push(ms);
  });
  await instance;
  if (latencies.length < options.amount) throw new Error(`${options.amount - latencies.length} requests failed`);
  return percentile(latencies, 0.99);
}

/** 48 bits determined by the number: hwids and tokens are in no order. */
const scattered = (i: number): string => hash('sha256', String(i)).slice(0, 12);

/** 310 bytes and more, determined by `i`. */
export function registration(application: string, i: number, tokenSalt = ''): string {
  const { hwid, push_token, tags } = bulkDevice(i, tokenSalt);
  return JSON.stringify({
    request: {
      application,
      hwid,
      device_type: 3,
      push_token,
      language: ['en', 'de', 'fr', 'es'][i % 4],
      timezone: 3600,
      app_version: '1.2.3',
      os_version: '14',
      device_model: 'Pixel 8',
      tags,
    },
  });
}

export interface BulkDevice {
  readonly hwid: string;
  readonly push_token: string;
  readonly platform: number;
  readonly tags: { readonly Level: number; readonly City: string };
}

export const LEVELS = 50;

/** `i` determines the device, `tokenSalt` its token. */
export function bulkDevice(i: number, tokenSalt = ''): BulkDevice {
  const id = scattered(i);
  return {
    hwid: `${id.slice(0, 8)}-${id.slice(8)}-4c56-b789-8f6b9e4a1d23`,
    push_token: `${id}b3c4d5e6f7g8h9i0:APA91b${tokenSalt}`.padEnd(80, 'x'),
    platform: 3,
    tags: { Level: i % LEVELS, City: `city${i % 100}` },
  };
}
