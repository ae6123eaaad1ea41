import { Expression } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { isWithin } from '../tags/value.ts';

export interface LiveFilter {
  readonly kind: 'filter';
  readonly account: string;
  readonly live: true;
  readonly code: string;
  readonly name: string;
  readonly text: string;
  /** An encoded `Expression`: documents cannot nest as deep. */
  readonly expression: Uint8Array;
  readonly nesting: number;
  readonly application: string;
  readonly expiresAt?: Date | undefined;
  readonly createdAt: Date;
}

export type Filter = LiveFilter | { readonly kind: 'filter'; readonly account: string; readonly live: false };

export interface CreateFilter {
  readonly type: 'createFilter';
  readonly code: string;
  readonly name: string;
  readonly text: string;
  readonly expression: Expression;
  readonly nesting: number;
  readonly application: string;
  readonly expiresAt: Date | undefined;
}

export interface DeleteFilter {
  readonly type: 'deleteFilter';
  readonly name: string;
  readonly code: string;
}

export interface ExpireFilter {
  readonly type: 'expireFilter';
  readonly name: string;
  readonly code: string;
}

export type FilterAction = CreateFilter | DeleteFilter | ExpireFilter;

export interface FilterView {
  filter(name: string): Filter | undefined;
  hasFilter(code: string): boolean;
  isUsed(code: string): boolean;
}

type Change = NonNullable<AccountEvent['event']>;

const DAY_MS = 86_400_000;

function createFilter(existing: Filter | undefined, action: CreateFilter, at: Date): Change[] {
  const { type: _type, ...filter } = action;
  if (filter.name === '' || !isWithin(filter.name, 255)) throw Fault.argument('name: must be 1 to 255 characters');
  if (filter.expiresAt && filter.expiresAt.getTime() < Math.floor(at.getTime() / DAY_MS + 1) * DAY_MS) {
    throw Fault.argument('expiration_date: must be in the future');
  }
  if (existing?.live) throw Fault.argument('Filter already exists');
  return [{ $case: 'filterCreated', value: filter }];
}

export function decideFilter(view: FilterView, action: FilterAction, at: Date): Change[] {
  const existing = view.filter(action.name);
  if (action.type === 'createFilter') return createFilter(existing, action, at);
  const isThere = existing?.live && existing.code === action.code;
  const application = existing?.live ? existing.application : '';
  const deleted: Change[] = [{ $case: 'filterDeleted', value: { name: action.name, application } }];
  if (action.type === 'expireFilter') {
    const isDue = isThere && existing.expiresAt && existing.expiresAt <= at && !view.isUsed(action.code);
    return isDue ? deleted : [];
  }
  if (!isThere) throw Fault.argument('Filter not found');
  if (view.isUsed(action.code)) throw Fault.argument('Filter is used by a preset');
  return deleted;
}

export function evolveFilter(state: Filter | undefined, { account, event, at }: AccountEvent): Filter {
  switch (event?.$case) {
    case 'filterCreated': {
      const { expression, expiresAt, ...filter } = event.value;
      return {
        kind: 'filter',
        account,
        live: true,
        ...filter,
        createdAt: at ?? new Date(0),
        expression: expression ? Expression.encode(expression).finish() : new Uint8Array(),
        ...(expiresAt && { expiresAt }),
      };
    }
    case 'filterDeleted':
      return { kind: 'filter', account, live: false };
    default:
      return state ?? { kind: 'filter', account, live: false };
  }
}
