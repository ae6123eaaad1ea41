import { sendIdOf } from '@tidings/kernel';
import type { Push } from '../channel-definition.ts';
import { remainingTtl } from '../remaining-ttl.ts';
import { browserTtlSeconds } from './webpush-payload.ts';

/** Push services keep a push for four weeks at most. */
const LONGEST_TTL_SECONDS = 2_419_200;

export function webPushHeaders(push: Push): readonly string[] {
  const ttlSeconds = remainingTtl(browserTtlSeconds(push.content, push.platform), push) ?? LONGEST_TTL_SECONDS;
  return [
    ...['ttl', String(Math.min(ttlSeconds, LONGEST_TTL_SECONDS))],
    ...['urgency', push.content?.voip ? 'high' : 'normal'],
  ];
}

/** Google's service keeps messages of only four topics (ADR 66). */
export const topicHeader = (push: Push, origin: string): readonly string[] =>
  origin.endsWith('.googleapis.com') ? [] : ['topic', sendIdOf(push).replace('/', '_')];
