import type { Db } from 'mongodb';
import { type ActivityStore, openActivityStore } from '../conversions/activity-store.ts';
import type { ProjectionName, ProjectionsDocument } from '../storage/projections.schema.ts';
import { writtenGenerations } from './generations.ts';
import type { ProjectionStates } from './projection-states.ts';
import { openStatisticsModel, type StatisticsModel } from './statistics-model.ts';

/** Time for which a process uses the state that it has read. */
export const TRUSTED_MS = 500;
/** Time after the write of a state until no process still writes by an older one. */
export const KNOWN_EVERYWHERE_MS = TRUSTED_MS + 250;

/** The generations of the projections as one process knows them. */
export interface View {
  /** Differs where other generations are read or written. */
  readonly id: string;
  /** The first one is read, and all are written. */
  readonly statistics: readonly [StatisticsModel, ...StatisticsModel[]];
  readonly conversions: readonly [ActivityStore, ...ActivityStore[]];
}

/** The read models behind the figures, in the generations that are in use. */
export interface ReadModels {
  /** The state as it was at most {@link TRUSTED_MS} ago. */
  current(): Promise<View>;
  /** One generation of a projection, the same object for every call. */
  statistics(generation: number): StatisticsModel;
  conversions(generation: number): ActivityStore;
  /**
   * Writes facts to every generation in use. Facts of a write that ends after its state may have changed are written again by the newer state: so no
   * fact that was published before a replay began is missing in both the replay and the live writes.
   */
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
  let known: { readonly view: View; readonly readAt: number } | undefined;
  let reading: { readonly view: Promise<View>; readonly readAt: number } | undefined;
  const isFresh = ({ readAt }: { readonly readAt: number }): boolean => performance.now() - readAt < TRUSTED_MS;
  const read = async (readAt: number): Promise<View> => {
    const state = await states.read();
    const view = viewOf(state);
    known = { view, readAt };
    statistics.keep(writtenGenerations(state, 'statistics'));
    conversions.keep(writtenGenerations(state, 'conversions'));
    return view;
  };
  const current = async (): Promise<View> => {
    if (known && isFresh(known)) return known.view;
    if (!reading || !isFresh(reading)) {
      const readAt = performance.now();
      const begun = { readAt, view: read(readAt).finally(() => (reading = reading === begun ? undefined : reading)) };
      reading = begun;
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
  /** The same object for every call: it remembers its last writes. */
  of(generation: number): Model;
  /** Lets go of all others. */
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
