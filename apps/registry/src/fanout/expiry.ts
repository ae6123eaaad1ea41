import type { Db } from 'mongodb';
import { idsOfMessage } from './keys.ts';
import { MARKS } from './marks.ts';
import type { OutgoingMessages } from './outgoing.ts';
import { FANOUTS, PLANS } from './plans.ts';

/** Messages removed at a time: what is due more waits for the next time. */
const AT_ONCE = 100;

/**
 * Removes messages that have expired by the given time, with everything that was planned for them; the message goes last, so that what
 * was interrupted is found again. No TTL index does it, because MongoDB does not know the system's clock.
 */
export async function removeExpired(db: Db, outgoing: OutgoingMessages, now: Date): Promise<void> {
  const codes = await outgoing.expired(now, AT_ONCE);
  if (codes.length === 0) return;
  for (const code of codes) {
    const ofMessage = { _id: idsOfMessage(code) };
    const collections = [MARKS, PLANS, FANOUTS].map((name) => db.collection<{ _id: string }>(name));
    await Promise.all(collections.map((collection) => collection.deleteMany(ofMessage)));
  }
  await outgoing.remove(codes);
}
