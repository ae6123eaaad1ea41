import type { Family } from '@tidings/contract';
import { adminEnvelope } from './admin.ts';
import { apiV2Envelope } from './api-v2.ts';
import { audienceEnvelope } from './audience.ts';
import { json13Envelope } from './json13.ts';
import { notifyEnvelope } from './notify.ts';
import type { Envelope } from './reply.ts';

export const envelopes: Readonly<Record<Family, Envelope>> = {
  json13: json13Envelope,
  apiV2: apiV2Envelope,
  audience: audienceEnvelope,
  notify: notifyEnvelope,
  admin: adminEnvelope,
};
