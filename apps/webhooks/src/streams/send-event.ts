import { steadyTime } from '@tidings/kernel';
import type { Made } from '../events/make.ts';
import type { Link } from './links/link-port.ts';
import type { StreamDeps } from './stream-deps.ts';
import type { Unacked, UnackedEvents } from './unacked.ts';

interface Sending extends Pick<StreamDeps, 'clock' | 'metrics' | 'log'> {
  readonly link: Link;
  readonly unacked: UnackedEvents;
}

export function sendEvent(event: Unacked, made: Made, { link, unacked, clock, metrics, log }: Sending): void {
  if (!made) {
    unacked.drop(event);
    metrics.ended('gone');
    return;
  }
  try {
    if (made instanceof Error) throw made;
    link.send(made, event.isDeferred);
    unacked.sent(event, made.uuid, steadyTime(clock), link.answerMs);
  } catch (error) {
    // Not the subscriber's fault; must not block other events.
    unacked.unmade(event, steadyTime(clock));
    metrics.ended('unmade');
    const { n, e, d, failures } = event;
    if (failures === 1) log.error({ err: error, n, e, d }, 'an event cannot be made');
  }
}
