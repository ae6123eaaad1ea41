import { Fault } from '@tidings/kernel';
import type { SubscribeOptions } from './broker-port.ts';

export function refuseOtherTopics(
  { group, topics }: Pick<SubscribeOptions, 'group' | 'topics'>,
  members: Iterable<{ readonly topics: ReadonlySet<string> }> = [],
): void {
  const expected = new Set(topics);
  for (const { topics: theirs } of members) {
    if (expected.size === theirs.size && topics.every((topic) => theirs.has(topic))) continue;
    throw Fault.argument(`Group ${group} has members that subscribe to ${[...theirs].join(', ')}`);
  }
}
