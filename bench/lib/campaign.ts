import { setTimeout as delay } from 'node:timers/promises';
import type { World } from './world.ts';

const AT_ONCE = 256;
const POLL_MS = 200;
/** With a millisecond for each device. */
const TIMEOUT_MS = 120_000;
export const languages = ['en', 'de', 'fr', 'es'];

export const message = {
  title: { en: 'Hello {{Name|CapitalizeFirst|friend}}', de: 'Hallo {{Name|CapitalizeFirst|Freund}}' },
  content: {
    en: 'Dear {{Name|CapitalizeFirst|friend}}, your order from {{City|Uppercase|town}} has arrived at the pick-up point.',
    de: 'Liebe {{Name|CapitalizeFirst|Freund}}, Ihre Bestellung aus {{City|Uppercase|Stadt}} ist da.',
  },
  data: { campaign: 'ABCDE-12345', link: 'https://example.com/o/123456' },
  conditions: [['Level', 'GTE', 0]],
};

export async function registerAudience(world: World, devices: number): Promise<void> {
  const { client, application } = world;
  for (const [name, type] of [
    ['Name', 2],
    ['Level', 1],
  ] as const) {
    await client.call('addTag', { tag: { name, type } });
  }
  let next = 0;
  const register = async (): Promise<void> => {
    for (let i = next++; i < devices; i = next++) {
      const ios = i % 2 === 0;
      await client.call('registerDevice', {
        application,
        hwid: `device-${i}`,
        device_type: ios ? 1 : 3,
        push_token: ios ? `a${i.toString(16).padStart(63, '0')}` : `token${i}:APA91b`.padEnd(140, 'x'),
        language: languages[i % 4],
        tags: { Name: `anna${i}`, City: `city${i % 100}`, Level: i % 50 },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, register));
  await world.settle();
}

/**
 * @param onSent called when every device has been sent to, before the system is settled @throws if a device was not reached: the figure would be
 * meaningless
 */
export async function sendToAll(world: World, devices: number, onSent?: () => unknown): Promise<void> {
  const { client, application } = world;
  await client.call('createMessage', { application, notifications: [message] });
  const giveUpAt = performance.now() + TIMEOUT_MS + devices;
  // The barrier queries every process, at the cost of thousands of pushes: it is used only at the end.
  while ((await sends(world)) < devices && performance.now() < giveUpAt) await delay(POLL_MS);
  await onSent?.();
  await world.settle();
  const sent = await sends(world);
  if (sent !== devices) throw new Error(`sent to ${sent} of ${devices} devices`);
}

async function sends({ client, application }: World): Promise<number> {
  const listed = await client.call('messagesList', {
    filters: { application },
    params: { with_metrics: true },
    per_page: 1,
  });
  const metrics = listed.items[0]?.push_info?.metrics ?? [];
  return metrics.reduce((sum, platform) => sum + platform.sends, 0);
}
