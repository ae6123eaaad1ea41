import { setTimeout as delay } from 'node:timers/promises';
import { languages, message } from './campaign.ts';
import type { Parts } from './parts.ts';
import { cpuOf, type NamedProcess } from './processes.ts';

const APPLICATION = 'AAAAA-00000';
const UPLOADED_AT_ONCE = 5_000;
const POLL_MS = 200;
const TIMEOUT_MS = 120_000;

export type Conditions = readonly (readonly (string | number)[])[];

/** Another program that sends the message of a campaign, to iOS devices only. */
export interface Sender {
  /** Microseconds so far. */
  readonly cpu: () => Parts;
  /** Resolves when the message is accepted. @returns its id */
  send(conditions?: Conditions): Promise<string>;
  /** Resolves when the counts of all devices are stored. @throws if a device was not reached */
  sendToAll(): Promise<void>;
}

interface Progress {
  readonly status: string;
  readonly sent: number;
}

/** With a new audience, at an address with `POST /devices`, `POST /messages` and `GET /messages/:id`. */
export async function senderAt(url: string, processes: readonly NamedProcess[], devices: number): Promise<Sender> {
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(url + path, body && { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path} answers ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as T;
  };
  for (let first = 0; first < devices; first += UPLOADED_AT_ONCE) {
    const length = Math.min(UPLOADED_AT_ONCE, devices - first);
    await call(
      '/devices',
      Array.from({ length }, (_, i) => device(first + i)),
    );
  }
  const send = async (conditions: Conditions = message.conditions): Promise<string> => {
    const { id } = await call<{ id: string }>('/messages', { application: APPLICATION, ...message, conditions });
    return id;
  };
  return {
    cpu: () => cpuOf(processes),
    send,
    async sendToAll() {
      const id = await send();
      const giveUpAt = performance.now() + TIMEOUT_MS + devices;
      let progress: Progress = { status: '', sent: 0 };
      while (progress.status !== 'sent' && performance.now() < giveUpAt) {
        await delay(POLL_MS);
        progress = await call<Progress>(`/messages/${id}`);
      }
      if (progress.sent !== devices) throw new Error(`sent to ${progress.sent} of ${devices} devices`);
    },
  };
}

const device = (i: number) => ({
  application: APPLICATION,
  hwid: `device-${i}`,
  token: `a${i.toString(16).padStart(63, '0')}`,
  language: languages[i % languages.length],
  tags: { Name: `anna${i}`, City: `city${i % 100}`, Level: i % 50 },
});
