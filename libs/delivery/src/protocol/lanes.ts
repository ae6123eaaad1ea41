/** A receipt never waits behind a broadcast. */
export const lanes = ['broadcast', 'direct'] as const;
export type Lane = (typeof lanes)[number];

export const fanoutGroups = {
  messages: 'fanout.messages',
  tasks: 'fanout.tasks',
  direct: 'fanout.direct',
  outcomes: 'fanout.outcomes',
} as const;

export const STOPS_GROUP = 'dispatcher.stops';

export const dispatcherGroup = (channel: string, lane: Lane): string =>
  lane === 'direct' ? `dispatcher.${channel}.direct` : `dispatcher.${channel}`;
