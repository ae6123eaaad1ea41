/** Named recipients have a separate lane: a receipt never waits behind a broadcast. */
export const lanes = ['broadcast', 'direct'] as const;
export type Lane = (typeof lanes)[number];

/** Consumer groups of the fan-out. */
export const fanoutGroups = {
  messages: 'fanout.messages',
  tasks: 'fanout.tasks',
  direct: 'fanout.direct',
  outcomes: 'fanout.outcomes',
} as const;

/** The consumer group of a lane of a channel's dispatchers; all members of a group subscribe to the same topics. */
export const dispatcherGroup = (channel: string, lane: Lane): string =>
  lane === 'direct' ? `dispatcher.${channel}.direct` : `dispatcher.${channel}`;
