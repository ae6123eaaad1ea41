import { Conversion } from './generated/tidings/events/v1/conversions.ts';
import { DeviceEvent } from './generated/tidings/events/v1/devices.ts';
import { JobEvent } from './generated/tidings/events/v1/jobs.ts';
import { MessageEvent } from './generated/tidings/events/v1/messages.ts';
import { SliceOutcome } from './generated/tidings/events/v1/outcomes.ts';
import { PlanEvent } from './generated/tidings/events/v1/plans.ts';
import { Reports } from './generated/tidings/events/v1/reports.ts';
import { VisitEvent } from './generated/tidings/events/v1/visits.ts';
import { topicNames } from './topics.ts';

interface Decoder {
  decode(payload: Uint8Array): unknown;
}

const types = new Map<string, Decoder>([
  [topicNames.devices, DeviceEvent],
  [topicNames.visits, VisitEvent],
  [topicNames.messages, MessageEvent],
  [topicNames.plans, PlanEvent],
  [topicNames.outcomes, SliceOutcome],
  [topicNames.reports, Reports],
  [topicNames.conversions, Conversion],
  [topicNames.jobs, JobEvent],
]);

export const publicTopics: readonly string[] = [...types.keys()];

function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value !== 'object' || value === null) return value;
  const { $case, value: chosen, ...fields } = value as { $case?: string; value?: unknown };
  if ($case !== undefined) return { [$case]: jsonOf(chosen) };
  if (chosen !== undefined) Object.assign(fields, { value: chosen });
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, jsonOf(field)]));
}

export const shownRecord = (topic: string, payload: Uint8Array): unknown => {
  const type = types.get(topic);
  return type && shownAs(type, payload);
};

export function shownAs(type: Decoder, payload: Uint8Array): unknown {
  try {
    return jsonOf(type.decode(payload));
  } catch {
    return undefined;
  }
}
