import { disagreements, type FigureName, figureNames, type Figures, type LedgerFigures } from './figures.ts';
import { type DemoDevice, type DemoPlatform, textFor } from './demo-population.ts';
import type { Push } from './demo-providers.ts';
import { table, thousands } from './table.ts';

export interface Testimony {
  readonly platform: DemoPlatform;
  readonly expected: Figures;
  readonly metrics: Figures;
  readonly funnel: Figures;
  readonly ledger: LedgerFigures;
}

const names: Readonly<Record<FigureName, string>> = {
  audience: 'in the audience',
  sent: 'sent',
  failed: 'failed: dead token',
  confirmed: 'confirmed by device',
  opened: 'opened',
};

const cell = (value: number | undefined): string => (value === undefined ? '·' : thousands(value));

export function figuresTable(testimonies: readonly Testimony[]): string {
  const rows = testimonies.flatMap(({ platform, expected, metrics, funnel, ledger }) => {
    const differing = disagreements([expected, metrics, funnel, ledger]);
    return figureNames.map((name) => [
      `${platform.name.padEnd(8)} ${names[name]}`,
      ...[expected, metrics, funnel, ledger].map((witness) => cell(witness[name])),
      differing.includes(name) ? 'NO' : 'yes',
    ]);
  });
  return table(['', 'expected', 'messages:list', 'funnel', "provider's ledger", 'agree'], rows);
}

export function faultsIn(testimonies: readonly Testimony[]): string[] {
  return testimonies.flatMap(({ platform, expected, metrics, funnel, ledger }) => [
    ...disagreements([expected, metrics, funnel, ledger]).map((name) => `${platform.name}: ${names[name]} differs`),
    ...(ledger.duplicates === 0 ? [] : [`${platform.name}: ${ledger.duplicates} devices got the message twice`]),
  ]);
}

export function faultsInPushes(addressed: readonly DemoDevice[], pushes: readonly Push[]): string[] {
  const awaited = new Map(
    addressed.filter(({ outcome }) => outcome !== 'dead').map((device) => [device.token, device] as const),
  );
  const faults = pushes.flatMap(({ token, payload }) => {
    const device = awaited.get(token);
    if (!device) return [`a push to a device that had to get none: ${token}`];
    awaited.delete(token);
    const text = textFor(device);
    return payload.includes(text) ? [] : [`${device.hwid} was shown ${payload} instead of ${text}`];
  });
  return [...faults, ...[...awaited.values()].map(({ hwid }) => `${hwid} got nothing`)];
}
