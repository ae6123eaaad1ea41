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

export type StoredState<State> = Omit<State, '_id'> & {
  readonly _id: string;
  readonly rev: number;
  readonly guard?: number;
};

export interface StateModelOptions<State> {
  readonly name: string;
  readonly retention: string;
  readonly fields: Fields<Omit<State, '_id'>>;
  /** None may be unique. @default none */
  readonly indexes?: readonly Index[];
  /** Patches select by `_id` alone (ADR 21). @default false */
  readonly isGuarded?: boolean;
}

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
