import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, Refusal, type ReplyOf } from '@tidings/client';

const POLL_MS = 100;
const TIMEOUT_MS = 120_000;

export type Listed = ReplyOf<'messagesList'>['items'][number];

export class SentMessages {
  readonly #client: ApiClient;
  readonly #application: string;

  constructor(client: ApiClient, application: string) {
    this.#client = client;
    this.#application = application;
  }

  async listed(code: string): Promise<Listed | undefined> {
    const { items } = await this.#client.call('messagesList', {
      filters: { application: this.#application, messages_codes: [code] },
      params: { with_metrics: true },
    });
    return items[0];
  }

  async untilDone(code: string, onProgress: (outcomes: number) => void = () => undefined): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      const item = await this.listed(code);
      onProgress(item?.push_info?.metrics?.reduce((sum, { sends, errors }) => sum + sends + errors, 0) ?? 0);
      if (item?.status === 'DONE') return;
      if (performance.now() > deadline) throw new Error(`the message is still ${item?.status ?? 'unlisted'}`);
      await delay(POLL_MS);
    }
  }

  async settled(): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      try {
        await this.#client.call('settled');
        return;
      } catch (error) {
        if (!(error instanceof Refusal) || error.reply.status !== 409 || performance.now() > deadline) throw error;
        await delay(POLL_MS);
      }
    }
  }
}
