import type { api, OutputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { ReplayView } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

type Shown = OutputOf<typeof api.lastReplay>;

const EPOCH = new Date(0);

const stateOf = ({ finished, canceled }: ReplayView): Shown['state'] => {
  if (canceled) return 'canceled';
  return finished ? 'done' : 'running';
};

function shown(view: ReplayView): Shown {
  const { id, projection, started, finished, topics, skipped, rate, kept } = view;
  const counts = topics.map(({ topic, handled, total }) => ({ topic, handled: Number(handled), total: Number(total) }));
  const sum = (count: 'handled' | 'total'): number => counts.reduce((all, each) => all + each[count], 0);
  return {
    id,
    projection,
    state: stateOf(view),
    started: rfc3339(started ?? EPOCH),
    finished: rfc3339(finished),
    handled: sum('handled'),
    total: sum('total'),
    skipped: Number(skipped),
    rate: Math.round(rate),
    topics: counts,
    kept: kept ? { ...kept, before: rfc3339(kept.before ?? EPOCH) } : null,
  };
}

export const startReplay: Handler<typeof api.startReplay, 'statistics'> = async ({ projection }, { statistics }) =>
  shown(await statistics.startReplay({ projection }));

export const cancelReplay: Handler<typeof api.cancelReplay, 'statistics'> = async ({ id }, { statistics }) =>
  shown(await statistics.cancelReplay({ id }));

export const lastReplay: Handler<typeof api.lastReplay, 'statistics'> = async (_input, { statistics }) => {
  const { replay } = await statistics.lastReplay({});
  if (!replay) throw Fault.notFound('No projection has been replayed');
  return shown(replay);
};
