import type { Db } from 'mongodb';
import { type ActivityStore, openActivityStore } from '../conversions/activity-store.ts';
import type { ProjectionName, ProjectionsDocument } from '../storage/projections.schema.ts';
import { writtenGenerations } from './generations.ts';
import type { ProjectionStates } from './projection-states.ts';
import { openStatisticsModel, type StatisticsModel } from './statistics-model.ts';

export const STATE_MAX_AGE_MS = 500;
/** After this time no process writes by an older state. */
export const PROPAGATION_MS = STATE_MAX_AGE_MS + 250;

export interface View {
  readonly id: string;
  /** The first model is read, and all are written. */
  readonly statistics: readonly [StatisticsModel, ...StatisticsModel[]];
  readonly conversions: readonly [ActivityStore, ...ActivityStore[]];
}

export interface ReadModels {
  current(): Promise<View>;
  statistics(generation: number): StatisticsModel;
  conversions(generation: number): ActivityStore;
  /** Writes again after a change, so that a fact is in the replay or in the live writes. */
  write(apply: (view: View) => Promise<void>): Promise<void>;
}

export function openReadModels(db: Db, states: Pick<ProjectionStates, 'read'>): ReadModels {
  const statistics = opened((generation) => openStatisticsModel(db, generation));
  const conversions = opened((generation) => openActivityStore(db, generation));
  const viewOf = (state: ProjectionsDocument): View => {
    const generations = (projection: ProjectionName): [number, ...number[]] =>
      writtenGenerations(state, projection) as [number, ...number[]];
    const [first, ...further] = generations('statistics');
    const [live, ...building] = generations('conversions');
    return {
      id: `${[first, ...further].join()}/${[live, ...building].join()}`,
      statistics: [statistics.of(first), ...further.map((generation) => statistics.of(generation))],
      conversions: [conversions.of(live), ...building.map((generation) => conversions.of(generation))],
    };
  };
  let cached: { readonly view: View; readonly readAt: number } | undefined;
  let reading: { readonly view: Promise<View>; readonly readAt: number } | undefined;
  const isFresh = ({ readAt }: { readonly readAt: number }): boolean => performance.now() - readAt < STATE_MAX_AGE_MS;
  const read = async (readAt: number): Promise<View> => {
    const state = await states.read();
    const view = viewOf(state);
    cached = { view, readAt };
    statistics.keep(writtenGenerations(state, 'statistics'));
    conversions.keep(writtenGenerations(state, 'conversions'));
    return view;
  };
  const current = async (): Promise<View> => {
    if (cached && isFresh(cached)) return cached.view;
    if (!reading || !isFresh(reading)) {
      const readAt = performance.now();
      const started = {
        readAt,
        view: read(readAt).finally(() => (reading = reading === started ? undefined : reading)),
      };
      reading = started;
    }
    return reading.view;
  };
  return {
    current,
    statistics: (generation) => statistics.of(generation),
    conversions: (generation) => conversions.of(generation),
    async write(apply) {
      for (let view = await current(); ;) {
        await apply(view);
        const after = await current();
        if (after.id === view.id) return;
        view = after;
      }
    },
  };
}

interface Opened<Model> {
  of(generation: number): Model;
  keep(generations: readonly number[]): void;
}

function opened<Model>(open: (generation: number) => Model): Opened<Model> {
  const models = new Map<number, Model>();
  return {
    of(generation) {
      const model = models.get(generation) ?? open(generation);
      models.set(generation, model);
      return model;
    },
    keep(generations) {
      for (const generation of models.keys()) if (!generations.includes(generation)) models.delete(generation);
    },
  };
}
