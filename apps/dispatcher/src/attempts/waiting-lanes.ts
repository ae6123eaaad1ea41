import { batcher } from '@tidings/coordination';
import type { Lane } from '@tidings/delivery';
import type { Collection, Filter } from 'mongodb';
import { SAME_TICK_MS } from '../timers.ts';
import { storeAsFault } from '../unavailable.ts';
import type { AttemptDocument } from './attempt-documents.ts';

const QUERY_LIMIT = 64;

interface LaneQuery {
  readonly channel: string;
  readonly lane: Lane;
  readonly time: number;
}

/** An idle process with many lanes asks once for all of them. */
export interface WaitingLanes {
  mayHaveDue(channel: string, lane: Lane, until: number): Promise<boolean>;
  mayHaveLater(channel: string, lane: Lane, beyond: number): Promise<boolean>;
  mayHaveUnpublished(channel: string, lane: Lane): Promise<boolean>;
}

export const unpublished = { state: { $in: ['claimed', 'settled'] }, dueAt: { $gte: new Date(0) } } as const;

export function waitingLanes(attempts: Collection<AttemptDocument>): WaitingLanes {
  const lanesWith = (stateFilter: (times: readonly number[]) => Filter<AttemptDocument>) =>
    batcher(
      async (questions: readonly LaneQuery[]): Promise<boolean[]> => {
        const channels = [...new Set(questions.map(({ channel }) => channel))];
        const lanes = [...new Set(questions.map(({ lane }) => lane))];
        const filter = {
          channel: { $in: channels },
          lane: { $in: lanes },
          ...stateFilter(questions.map(({ time }) => time)),
        };
        const options = { projection: { _id: 0, channel: 1, lane: 1 }, limit: QUERY_LIMIT, hint: 'due' };
        const found = await storeAsFault(attempts.find(filter, options).toArray());
        const named = new Set(found.map(({ channel, lane }) => `${channel}/${lane}`));
        return questions.map(({ channel, lane }) => found.length === QUERY_LIMIT || named.has(`${channel}/${lane}`));
      },
      { gatherMs: SAME_TICK_MS },
    ).submit;
  const due = lanesWith((times) => ({ state: 'deferred', dueAt: { $lte: new Date(Math.max(...times)) } }));
  const later = lanesWith((times) => ({ state: 'deferred', dueAt: { $gt: new Date(Math.min(...times)) } }));
  const ended = lanesWith(() => unpublished);
  return {
    mayHaveDue: (channel, lane, time) => due({ channel, lane, time }),
    mayHaveLater: (channel, lane, time) => later({ channel, lane, time }),
    mayHaveUnpublished: (channel, lane) => ended({ channel, lane, time: 0 }),
  };
}
