import { defineStates } from '@tidings/event-store';
import { date, inDays } from '@tidings/mongo';
import { COOLDOWNS, type CooldownState, KEPT_SECONDS } from '../visit-log.ts';

export const cooldownsModel = defineStates<CooldownState>({
  name: COOLDOWNS,
  retention: `as long as the zone's cooldown, at least ${inDays(KEPT_SECONDS * 1000)}`,
  fields: { at: date, until: date },
  indexes: [{ name: 'until', key: { until: 1 }, expireAfterSeconds: 0 }],
});
