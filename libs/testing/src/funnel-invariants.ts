import type { ReplyOf } from '@tidings/client';

type Funnel = ReplyOf<'getDeliveryFunnel'>;
type Channel = Funnel['channels'][number];
type Stage = Channel['funnel'][number];
type Item = ReplyOf<'messagesList'>['items'][number];
type Metrics = NonNullable<NonNullable<Item['push_info']>['metrics']>;

/** A message that is an e-mail alone has its metrics in the form of pushes. */
export const metricsIn = ({ push_info: push, email_info: email }: Item): Metrics =>
  push?.metrics ??
  email?.metrics?.map((each) => ({ ...each, platform: 14, inbox_opens: 0, unshowable_sends: 0 })) ??
  [];

interface Counted {
  readonly count: string;
  readonly platforms: readonly { readonly platform: number; readonly count: string }[];
}

const ALL = undefined;

const countIn = (counted: Counted | undefined, platform: number | undefined): number =>
  Number((platform === ALL ? counted : counted?.platforms.find((each) => each.platform === platform))?.count ?? 0);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const stageOf = ({ funnel }: Channel, name: string): Stage | undefined =>
  funnel.find(({ stage }) => stage === `STAGE_${name}`);

export interface FunnelFigures {
  readonly audience: number;
  readonly eligible: number;
  readonly sent: number;
  readonly failed: number;
  /** Zeros are omitted. */
  readonly errors: Readonly<Record<string, number>>;
  /** Zeros are omitted. */
  readonly rows: Readonly<Record<string, number>>;
  readonly confirmed: number;
  readonly opened: number;
}

const withoutZeros = (entries: readonly (readonly [string, number])[]): Record<string, number> =>
  Object.fromEntries(entries.filter(([, count]) => count > 0));

/** Zero if the funnel lacks the channel. @param platform @default all */
export function funnelFigures(
  { channels }: Funnel,
  platform: number | undefined = ALL,
  name = 'MOBILE_PUSH',
): FunnelFigures {
  const channel = channels.find((each) => each.channel === `CHANNEL_${name}`);
  const stage = (of: string): Stage | undefined => channel && stageOf(channel, of);
  const pieces = (of: string): (readonly [string, number])[] =>
    stage(of)?.pieces.map((piece) => [piece.category, countIn(piece, platform)] as const) ?? [];
  return {
    audience: countIn(stage('AUDIENCE'), platform),
    eligible: Object.fromEntries(pieces('AUDIENCE'))['ELIGIBLE_AUDIENCE'] ?? 0,
    sent: countIn(stage('SENT'), platform),
    failed: countIn(stage('ERRORS'), platform),
    errors: withoutZeros(stage('ERRORS')?.errors.map((error) => [error.category, countIn(error, platform)]) ?? []),
    rows: withoutZeros(pieces('DELIVERIES')),
    confirmed: countIn(channel?.confirmed_deliveries, platform),
    opened: countIn(stage('OPENED'), platform),
  };
}

function countsIn({ confirmed_deliveries: confirmed, funnel }: Channel): (readonly [string, Counted])[] {
  return [
    ['confirmed_deliveries', confirmed],
    ...funnel.flatMap((stage): (readonly [string, Counted])[] => [
      [stage.stage, stage],
      ...stage.pieces.map((piece) => [`${stage.stage} ${piece.category}`, piece] as const),
      ...stage.errors.map((error) => [`${stage.stage} ${error.category}`, error] as const),
    ]),
  ];
}

const STAGES = ['AUDIENCE', 'SENT', 'ERRORS', 'DELIVERIES', 'OPENED'];
const INBOX = 'CHANNEL_APP_INBOX';
const MAIL = 'CHANNEL_EMAIL';
const INBOX_STAGES = ['AUDIENCE', 'SENT', 'ERRORS', 'REACHED', 'READ', 'OPENED'];

/** R-H9, R-H10. */
function brokenForms(channel: Channel): string[] {
  const broken: string[] = [];
  const stages = channel.funnel.map(({ stage }) => stage.replace('STAGE_', ''));
  const ofPushes = channel.channel === MAIL ? [...STAGES, 'INTERACTIONS'] : STAGES;
  const expected = channel.channel === INBOX ? INBOX_STAGES : ofPushes;
  if (stages.join() !== expected.join()) broken.push(`stages are ${stages.join()}`);
  for (const [name, { count, platforms }] of countsIn(channel)) {
    const parts = platforms.map((each) => Number(each.count));
    if (sum(parts) !== Number(count)) broken.push(`6: ${name} is ${count}, its platforms ${parts.join('+')}`);
    if (parts.includes(0)) broken.push(`${name} tells of a platform with nothing`);
    if (platforms.some(({ platform }, i) => i > 0 && platform <= platforms[i - 1]!.platform)) {
      broken.push(`${name} has its platforms out of order`);
    }
  }
  return broken;
}

interface Checked {
  readonly channel: Channel;
  readonly metrics: Metrics;
  readonly inFlight: boolean;
  readonly platform: number | undefined;
}

function brokenSums({ channel, metrics, inFlight, platform }: Checked): string[] {
  const broken: string[] = [];
  const hold = (invariant: string, holds: boolean, ...values: number[]): void => {
    if (!holds) broken.push(`${invariant} of platform ${platform ?? 'all'}: ${values.join(' ')}`);
  };
  const stage = (name: string): number => countIn(stageOf(channel, name), platform);
  const piece = (name: string, ...categories: string[]): number =>
    sum(
      stageOf(channel, name)!
        .pieces.filter(({ kind, category }) => kind !== 'KIND_SUBSET' && categories.includes(category))
        .map((each) => countIn(each, platform)),
    );
  const pieces = (name: string): number =>
    piece(name, ...(stageOf(channel, name)?.pieces.map(({ category }) => category) ?? []));
  const metric = (name: 'sends' | 'errors' | 'opens' | 'unshowable_sends'): number =>
    sum(metrics.filter((each) => platform === ALL || each.platform === platform).map((each) => each[name]));

  const [audience, sent, errors, deliveries, opened] = STAGES.map(stage) as [number, number, number, number, number];
  hold('1: AUDIENCE and its pieces', audience === pieces('AUDIENCE'), audience, pieces('AUDIENCE'));
  hold('1: DELIVERIES and its pieces', deliveries === pieces('DELIVERIES'), deliveries, pieces('DELIVERIES'));
  const eligible = piece('AUDIENCE', 'ELIGIBLE_AUDIENCE');
  const ended = sent + errors;
  hold('2: ELIGIBLE_AUDIENCE, SENT, ERRORS', inFlight ? eligible >= ended : eligible === ended, eligible, sent, errors);
  hold('3: DELIVERIES and SENT', deliveries === sent, deliveries, sent);
  const categories = stageOf(channel, 'ERRORS')!.errors;
  hold('4: ERRORS and its categories', errors === sum(categories.map((each) => countIn(each, platform))), errors);
  for (const error of categories) {
    const codes = error.codes.filter((each) => platform === ALL || each.platform === platform);
    const count = countIn(error, platform);
    hold(`4: ${error.category} and its codes`, count === sum(codes.map((code) => Number(code.count))), count);
  }
  const confirmed = piece('DELIVERIES', 'DISPLAYABLE_CONFIRMED', 'NOT_DISPLAYABLE_CONFIRMED', 'CONFIRMED_BY_DEVICE');
  const isMail = channel.channel === MAIL;
  const openable = isMail ? sent : confirmed;
  hold(
    '5: OPENED, confirmed, DELIVERIES',
    opened <= openable && confirmed <= deliveries,
    opened,
    confirmed,
    deliveries,
  );
  if (isMail) broken.push(...brokenMail(channel, platform));
  hold('7: SENT and sends', sent === metric('sends'), sent, metric('sends'));
  hold('7: ERRORS and errors', errors === metric('errors'), errors, metric('errors'));
  hold('7: OPENED and opens', opened <= metric('opens'), opened, metric('opens'));
  if (channel.deliveries_form === 'DELIVERIES_FORM_PER_DEVICE') {
    const hidden = piece('DELIVERIES', 'NOT_DISPLAYABLE_CONFIRMED', 'NOT_DISPLAYABLE_NO_CONFIRMATION');
    hold('7: NOT_DISPLAYABLE and unshowable_sends', hidden === metric('unshowable_sends'), hidden);
  }
  return broken;
}

/** R-H14, R-H15. */
function brokenMail(channel: Channel, platform: number | undefined): string[] {
  const { pieces = [] } = stageOf(channel, 'DELIVERIES') ?? {};
  const piece = (test: (category: string) => boolean): number =>
    sum(pieces.filter(({ category }) => test(category)).map((each) => countIn(each, platform)));
  const [hard, soft] = ['BOUNCED_HARD', 'BOUNCED_SOFT'].map((name) => piece((category) => category === name));
  const bounced = piece((category) => ['BOUNCED_HARD', 'BOUNCED_SOFT', 'BOUNCED_UNCLASSIFIED'].includes(category));
  const opened = stageOf(channel, 'OPENED');
  const split = opened?.pieces.filter(({ kind }) => kind !== 'KIND_SUBSET') ?? [];
  const [opens, clicks] = [countIn(opened, platform), countIn(stageOf(channel, 'INTERACTIONS'), platform)];
  const invariants: readonly (readonly [string, boolean])[] = [
    ['BOUNCED_HARD and its splits', hard === piece((category) => category.startsWith('BOUNCED_HARD_'))],
    [
      'BOUNCED_SOFT and its splits',
      soft === piece((category) => category.startsWith('BOUNCED_SOFT_') || category === 'BOUNCED_UNDETERMINED'),
    ],
    ['bounces and NO_CONFIRMATION', bounced <= piece((category) => category === 'NO_CONFIRMATION')],
    ['OPENED and its pieces', split.length === 0 || opens === sum(split.map((each) => countIn(each, platform)))],
    ['INTERACTIONS and OPENED', clicks <= opens],
  ];
  return invariants.flatMap(([name, holds]) => (holds ? [] : [`${name} of platform ${platform ?? 'all'}`]));
}

/** R-H14, R-H20. */
function brokenInbox(channel: Channel, platform: number | undefined): string[] {
  const counts = INBOX_STAGES.map((name) => countIn(stageOf(channel, name), platform));
  const [audience, sent, errors, reached, read, opened] = counts as [number, number, number, number, number, number];
  const pieces = stageOf(channel, 'AUDIENCE')!.pieces.map((piece) => countIn(piece, platform));
  const broken = (invariant: string) => `${invariant} of platform ${platform ?? 'all'}: ${counts.join(' ')}`;
  return [
    ...(audience === sum(pieces) ? [] : [broken('1: AUDIENCE and its pieces')]),
    ...(pieces[0] === sent + errors ? [] : [broken('2: ELIGIBLE_AUDIENCE, SENT, ERRORS')]),
    ...(opened <= read && read <= reached && reached <= sent ? [] : [broken('5: OPENED, READ, REACHED, SENT')]),
  ];
}

/** R-H8. */
const platformsOf: Readonly<Record<string, readonly number[]>> = {
  CHANNEL_MOBILE_PUSH: [1, 2, 3, 5, 9, 17, 19],
  CHANNEL_WEB_PUSH: [10, 11, 12, 13],
  CHANNEL_EMAIL: [14],
  CHANNEL_OTHER: [7, 8, 18, 21, 22, 23],
};

/** One line for each violated invariant of R-H14. @param inFlight some devices may have no outcome yet @default false */
export function brokenInvariants({ channels }: Funnel, metrics: Metrics, { inFlight = false } = {}): string[] {
  const shown = new Set(channels.flatMap(({ channel }) => platformsOf[channel] ?? []));
  // An entry counts under the platform of the device that opened it, which need not be in the audience.
  const hidden = metrics.filter(({ platform, inbox_opens }) => !shown.has(platform) && inbox_opens === 0);
  const broken = channels.flatMap((channel) => {
    const own = metrics.filter(({ platform }) => platformsOf[channel.channel]?.includes(platform));
    const scopes = [
      ALL,
      ...new Set(countsIn(channel).flatMap(([, { platforms }]) => platforms.map((each) => each.platform))),
    ];
    return [
      ...brokenForms(channel),
      ...scopes.flatMap((platform) =>
        channel.channel === INBOX
          ? brokenInbox(channel, platform)
          : brokenSums({ channel, metrics: own, inFlight, platform }),
      ),
    ].map((invariant) => `${channel.channel}: ${invariant}`);
  });
  return [...hidden.map(({ platform }) => `the metrics tell of platform ${platform}, the funnel does not`), ...broken];
}
