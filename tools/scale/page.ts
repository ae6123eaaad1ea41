import {
  broadcastSeconds,
  type Cost,
  type Costs,
  DEVICES,
  firstFull,
  MESSAGES_PER_SECOND,
  messageSeconds,
  PERIOD_SECONDS,
  type Scenario,
  serviceNames,
  type Utilisation,
  utilisations,
} from './loads.ts';

export const scalePath = 'docs/scale.md';

const stores = ['MongoDB', 'Kafka'] as const;
type AllCosts = Costs & Readonly<Record<(typeof stores)[number], Cost>>;

export const rowsOfPage: readonly Scenario[] = (
  [
    [1, 1],
    [10, 1],
    [10, 2],
    [50, 8],
    [100, 8],
    [1000, 8],
  ] as const
).map(([load, processes]) => ({ load, processes, channels: 2, seed: 1 }));

/** Throws where the page lacks a cost. */
export function costsOf(page: string): AllCosts {
  const costIn = (work: string, name: string): number => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${work}`)) ?? '';
    const [, cost] = new RegExp(`\\b${name}\\b[^,|\\d]* (\\d+(?:\\.\\d+)?)`).exec(row) ?? [];
    // No process of a gateway takes part in a broadcast.
    if (cost === undefined && name !== 'gateway') throw new Error(`${scalePath} tells no cost of ${name} for ${work}`);
    return Number(cost ?? 0);
  };
  const costOf = (name: string): Cost => ({
    push: costIn('a push of a personalised broadcast', name),
    message: costIn('a message to one device', name),
  });
  return Object.fromEntries([...serviceNames, ...stores].map((name) => [name, costOf(name)])) as unknown as AllCosts;
}

const percent = (share: number): string => (share * 100).toFixed(0);
const rounded = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));

const loadOf = ({ mean, busiest }: Utilisation): string =>
  percent(mean) === percent(busiest) ? percent(mean) : `${percent(mean)}, ${percent(busiest)}`;

function rowOf(scenario: Scenario, costs: AllCosts): string[] {
  const found = utilisations(scenario, costs);
  const cores = stores.map((store) => {
    const { push, message } = costs[store];
    return scenario.load * ((DEVICES / PERIOD_SECONDS) * (push / 1e6) + MESSAGES_PER_SECOND * (message / 1e3));
  });
  const { name, load } = firstFull(scenario, costs);
  const seconds = messageSeconds(scenario, costs);
  return [
    ...[`${scenario.load}×`, String(scenario.processes)],
    ...serviceNames.map((service) => loadOf(found[service])),
    ...[cores.map(rounded).join(', '), `${name}, ${rounded(load)}×`],
    `${rounded(broadcastSeconds(scenario, costs))} s`,
    seconds === undefined ? '–' : `${(seconds * 1e3).toFixed(0)} ms`,
  ];
}

export function tableOf(scenarios: readonly Scenario[], costs: AllCosts): string {
  const head = [
    ...['load', 'processes', ...serviceNames.map((name) => `${name} %`), 'cores of MongoDB, Kafka'],
    ...['first full', 'a broadcast alone', 'a message beside broadcasts'],
  ];
  const rows = scenarios.map((scenario) => rowOf(scenario, costs));
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

export function withTable(page: string, table: string): string {
  const [head = ''] = table.split('\n');
  const start = page.indexOf(head);
  if (start < 0) throw new Error(`${scalePath} has no table "${head}"`);
  const [rows] = /^(\|.*\n)+/.exec(page.slice(start))!;
  return page.slice(0, start) + table + page.slice(start + rows.length);
}
