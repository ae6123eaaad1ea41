import {
  defineModel,
  type Field,
  type Fields,
  type Index,
  type ModelDefinition,
  number,
  optional,
  text,
} from '@tidings/mongo';
import { guarded } from '../mongo/guards.ts';

/** A state as it is stored. */
export type StoredState<State> = Omit<State, '_id'> & {
  readonly _id: string;
  /** The number of the last commit that it was written with. */
  readonly rev: number;
  /** See {@link guarded}. */
  readonly guard?: number;
};

export interface StateModelOptions<State> {
  readonly name: string;
  readonly retention: string;
  /** The fields of the document that `toDocument` of the log makes, and the self-reported state of documents that have some. */
  readonly fields: Fields<Omit<State, '_id'>>;
  /** None may be unique. @default none */
  readonly indexes?: readonly Index[];
  /** Patches name their document by `_id` alone (ADR 21). @default false */
  readonly isGuarded?: boolean;
}

/** Defines a collection of states, which only their log writes. */
export const defineStates = <State>({
  fields,
  isGuarded = false,
  ...options
}: StateModelOptions<State>): ModelDefinition<StoredState<State>> =>
  defineModel<StoredState<State>>({
    ...options,
    fields: {
      ...(fields as Record<string, Field>),
      _id: text,
      rev: number,
      guard: optional(number),
    } as unknown as Fields<StoredState<State>>,
    ...(isGuarded && { options: guarded }),
  });
