import { daysAgoCondition, FORBID, type LiveFilter, tagCondition } from '@tidings/audience';
import { Expression } from '@tidings/events';
import { type Clock, Fault, Refusal } from '@tidings/kernel';
import type { Tags } from '@tidings/registry-store';
import type { Grant } from '@tidings/rpc';
import { type ConditionTerm, compile, namesIn, parse, type Parsed } from '@tidings/segments';
import type { AccountStore } from '../accounts/account-store.ts';
import { isGranted } from '../accounts/grants.ts';
import { meaningOf } from './stored-filters.ts';

/** Every message to an expression carries it. */
const MAX_BYTES = 512 * 1024;
/** A group stands for all of its applications. */
const APPLICATION_BYTES = 16;
const MAX_NESTING = 10;

export interface ExpressionsDeps {
  readonly store: AccountStore;
  readonly tags: Tags;
  readonly clock: Clock;
}

export interface Given {
  readonly account: string;
  readonly grant: Grant | undefined;
  readonly source: string | Parsed;
}

export interface Compiled {
  readonly expression: Expression;
  readonly nesting: number;
}

async function segmentsOf(
  codes: readonly string[],
  { account, grant }: Given,
  store: AccountStore,
): Promise<readonly LiveFilter[]> {
  const filters = await store.filtersByCode(account, codes);
  const bound = filters.flatMap(({ application }) => (application === '' ? [] : [application]));
  if (bound.length === 0) return filters;
  const usable = (await store.applications(bound)).filter((application) => isGranted(grant, application));
  return filters.filter(({ application }) => application === '' || usable.some(({ code }) => code === application));
}

function placesIn(text: string): { readonly applications: ReadonlySet<string>; readonly groups: ReadonlySet<string> } {
  try {
    return namesIn(parse(text));
  } catch (thrown) {
    if (thrown instanceof Refusal) return { applications: new Set(), groups: new Set() };
    throw thrown;
  }
}

/** Hides filters that name an application outside the grant (R-T9). */
export async function shownTo<F extends { readonly application: string; readonly text: string }>(
  filters: readonly F[],
  { account, grant }: Pick<Given, 'account' | 'grant'>,
  store: AccountStore,
): Promise<readonly F[]> {
  if (!grant || grant.allApplications) return filters;
  const places = new Map(filters.map((filter) => [filter, placesIn(filter.application === '' ? filter.text : '')]));
  const named = [...places.values()];
  const groups = await store.groups(account, [...new Set(named.flatMap((each) => [...each.groups]))]);
  const members = new Map(groups.map(({ code, applications }) => [code, applications]));
  const codesOf = ({ applications, groups: of }: ReturnType<typeof placesIn>): string[] => [
    ...applications,
    ...[...of].flatMap((code) => members.get(code) ?? []),
  ];
  const found = await store.applications([...new Set(named.flatMap(codesOf))]);
  const others = new Set(found.filter((each) => !isGranted(grant, each)).map(({ code }) => code));
  return filters.filter((filter) => !codesOf(places.get(filter)!).some((code) => others.has(code)));
}

export async function refusing<T>(field: 'expression' | 'filterCode', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof Refusal) throw Fault.argument(thrown.message, field);
    throw thrown;
  }
}

/** @throws Refusal (R-N4, R-RES12, R-RES13) @throws Fault `forbidden` (R-T5) */
export async function compiledOf(given: Given, { store, tags, clock }: ExpressionsDeps): Promise<Compiled> {
  const { account, grant, source } = given;
  const parsed = typeof source === 'string' ? parse(source) : source;
  const names = namesIn(parsed);
  const groups = await store.groups(account, [...names.groups]);
  const codes = [...names.applications, ...groups.flatMap((group) => group.applications)];
  const [tagSet, found, filters] = await Promise.all([
    tags.of(account, names.tags),
    store.applications(codes),
    segmentsOf([...names.segments], given, store),
  ]);
  const applications = new Map(found.filter((each) => each.account === account).map((each) => [each.code, each]));
  const meanings = filters.map(async (filter) => {
    return [filter.code, { filter, expression: await meaningOf(filter, tags) }] as const;
  });
  const segments = new Map(await Promise.all(meanings));
  let bytes = 0;
  const grow = (by: number): void => {
    if ((bytes += by) > MAX_BYTES) throw new Refusal('too large with the segments and groups that it names');
  };
  const condition = (name: string, term: ConditionTerm): Expression => {
    const tag = tagSet.named(name);
    if (!tag) throw new Refusal(`unknown tag "${name}"`);
    return term.kind === 'daysago'
      ? daysAgoCondition(tag, term.comparison, term.days)
      : tagCondition(tag, term.operator, term.operand, clock.now());
  };
  const hasApplication = (code: string): boolean => {
    const application = applications.get(code);
    if (application && !isGranted(grant, application)) throw Fault.forbidden(FORBID);
    return application !== undefined;
  };
  const segment = (code: string): Expression | undefined => {
    const resolved = segments.get(code);
    if (resolved) grow(resolved.filter.expression.length);
    return resolved?.expression;
  };
  const nesting = Math.max(0, ...filters.map((filter) => filter.nesting + 1));
  if (nesting > MAX_NESTING) throw new Refusal(`segments nest more than ${MAX_NESTING} deep`);
  const group = (code: string): string[] | undefined => {
    const members = groups.find((each) => each.code === code)?.applications.filter(hasApplication);
    if (members) grow(APPLICATION_BYTES * members.length);
    return members;
  };
  const expression = compile(parsed, { hasApplication, condition, segment, group });
  bytes = 0;
  grow(Expression.encode(expression).finish().length);
  return { expression, nesting };
}
