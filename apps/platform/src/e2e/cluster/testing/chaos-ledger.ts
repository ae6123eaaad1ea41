import { availableParallelism } from 'node:os';
import { type FaultOutcome, populationPlatforms, type ProcessHealth, recoveryText } from '@tidings/testing';
import type { EndedFault } from './drawn-faults.ts';
import { appendRow } from './ledger-row.ts';

export interface ChaosRound {
  readonly seed: number;
  readonly round: number;
  readonly devices: number;
  readonly faults: readonly EndedFault[];
  readonly outcome: FaultOutcome;
  readonly calls: { readonly acknowledged: number; readonly refused: number };
  /** Acknowledged data that is missing or wrong, and devices without their one outcome. */
  readonly lost: number;
  readonly health: readonly ProcessHealth[];
}

function rowOf({ outcome, health, ...about }: ChaosRound): readonly (string | number)[] {
  const counts = populationPlatforms.map(({ provider }) => outcome.counts[provider]);
  const sum = (of: (count: (typeof counts)[number]) => number): number =>
    counts.reduce((total, count) => total + of(count), 0);
  const most = (of: (process: ProcessHealth) => number): number => Math.round(Math.max(0, ...health.map(of)));
  return [
    ...[new Date().toISOString().slice(0, 10), availableParallelism(), `${about.seed}/${about.round}`, about.devices],
    describeFaults(about.faults),
    ...[about.lost, sum(({ sent }) => sent)],
    ...[`${sum(({ repeated }) => repeated)} of ${sum(({ allowed }) => allowed)}`, sum(({ masked }) => masked)],
    `${about.calls.acknowledged} (${about.calls.refused} repeated)`,
    ...[outcome.reachedSeconds.toFixed(1), `${outcome.recoverySeconds.toFixed(1)} (${recoveryText(outcome.recovery)})`],
    ...[most(({ residentMb }) => residentMb), most(({ lagMs }) => lagMs)],
  ];
}

function describeFaults(faults: readonly EndedFault[]): string {
  const numbers = new Map<string, number>();
  for (const { kind } of faults) numbers.set(kind, (numbers.get(kind) ?? 0) + 1);
  return [...numbers].map(([kind, number]) => `${kind} ${number}`).join(', ');
}

export const record = (round: ChaosRound): Promise<void> => appendRow('CHAOS_LEDGER', rowOf(round));
