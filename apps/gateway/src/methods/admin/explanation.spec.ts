import { describe, expect, it } from '@jest/globals';
import { credentialFaults } from '@tidings/channels';
import { DeviceAttempt, DeviceOutcome, MessageView, PlansOfDeviceReply } from '@tidings/rpc';
import { type Evidence, explanationOf } from './explanation.ts';

const APPLICATION = 'A1B2C-3D4E5';
const AT = new Date('2026-01-15T12:00:00Z');
const HOUR = AT.getTime() / 3_600_000;
const DAY_MS = 86_400_000;

type Given = Partial<{
  message: object;
  accepted: object;
  plans: object;
  device: object;
  attempts: object[];
  outcomes: object[];
  days: number;
}>;

const evidence = (given: Given): Evidence => ({
  application: APPLICATION,
  message: MessageView.fromPartial({
    code: 'C',
    status: 'DONE',
    releasedAt: AT,
    message: { applications: [APPLICATION], sendAt: AT, ...given.accepted },
    ...given.message,
  }),
  plans: PlansOfDeviceReply.fromPartial({
    device: { seq: 7, platform: 3, hasToken: true, createdAt: new Date(AT.getTime() - DAY_MS), ...given.device },
    split: true,
    decided: 1,
    decidedAt: AT,
    ...given.plans,
  }),
  attempts: (given.attempts ?? []).map((each) => DeviceAttempt.fromPartial(each)),
  outcomes: (given.outcomes ?? []).map((each) =>
    DeviceOutcome.fromPartial({ platform: 3, displayable: true, ...each }),
  ),
  now: AT.getTime() + (given.days ?? 1) * DAY_MS,
});

const undecided = { split: false, decided: 0, decidedAt: undefined };
const plan = { bucket: 0, at: AT, platform: 3 };
const inInbox = { inboxOnly: true, inboxUntil: new Date('2026-01-17T00:00:01Z') };
const error = { category: 'INVALID_TOKEN', code: '410', name: 'Unregistered', hour: HOUR };

describe('the explanation of a message to a device', () => {
  it.each<[string, Given, string, string | null]>([
    ['another application', { accepted: { applications: ['OTHER'] } }, 'NOT_ADDRESSED', 'application'],
    ['older than 30 days', { days: 31, outcomes: [{ sentHour: HOUR }] }, 'EXPIRED', null],
    ['canceled', { message: { status: 'CANCELED', releasedAt: undefined }, plans: undecided }, 'CANCELED', null],
    ['scheduled', { message: { status: 'PENDING', releasedAt: undefined }, plans: undecided }, 'NOT_RELEASED', null],
    ['released and not split', { plans: undecided }, 'NOT_DECIDED', null],
    ['a chunk without a plan', { plans: { undecided: true, decided: 0 } }, 'NOT_DECIDED', null],
    ['deleted without a seq', { device: { deleted: true } }, 'NOT_ADDRESSED', 'deleted'],
    ['registered later', { device: { createdAt: new Date(AT.getTime() + 1) } }, 'NOT_ADDRESSED', 'registered_later'],
    ['another platform', { accepted: { audience: { platforms: [1] } } }, 'NOT_ADDRESSED', 'platform'],
    ['a contact of a push', { device: { platform: 14 } }, 'NOT_ADDRESSED', 'platform'],
    ['a zone not entered', { accepted: { source: 'GEO_ZONE' } }, 'NOT_ADDRESSED', 'not_joined'],
    ['not listed', { accepted: { listedRecipients: true } }, 'NOT_ADDRESSED', 'not_named'],
    ['without a token', { device: { hasToken: false } }, 'NOT_ADDRESSED', 'no_token'],
    ['not selected', {}, 'NOT_ADDRESSED', 'filter'],
    ['excluded', { outcomes: [{ excluded: 'CONTROL_GROUP' }] }, 'EXCLUDED', 'CONTROL_GROUP'],
    [
      'excluded, as planned',
      { plans: { plans: [{ ...plan, excluded: 'CONTROL_GROUP' }] } },
      'EXCLUDED',
      'CONTROL_GROUP',
    ],
    ['failed', { outcomes: [{ error }] }, 'FAILED', 'INVALID_TOKEN'],
    ['failed, as planned', { plans: { plans: [{ ...plan, failure: error }] } }, 'FAILED', 'INVALID_TOKEN'],
    ['in the inbox alone', { plans: { plans: [{ ...plan, ...inInbox }] } }, 'INBOX_ONLY', 'no_token'],
    [
      'excluded from the inbox',
      { plans: { plans: [{ ...plan, inboxOnly: true, excluded: 'CONTROL_GROUP' }] } },
      ...(['EXCLUDED', 'CONTROL_GROUP'] as const),
    ],
    [
      'in the inbox, and sent to in another step',
      { plans: { plans: [{ ...plan, ...inInbox }, plan] } },
      'IN_FLIGHT',
      'waiting',
    ],
    ['planned', { plans: { plans: [plan] } }, 'IN_FLIGHT', 'waiting'],
    ['claimed', { outcomes: [{}], attempts: [{ state: 'claimed' }] }, 'IN_FLIGHT', 'claimed'],
    ['sent', { outcomes: [{ sentHour: HOUR }] }, 'SENT', null],
    ['sent after a failure', { outcomes: [{ error }, { platform: 1, sentHour: HOUR }] }, 'SENT', null],
    ['sent, and deleted since', { outcomes: [{ sentHour: HOUR }], device: { deleted: true } }, 'SENT', null],
  ])('has the answer and the reason of the state: %s', (_what, given, answer, reason) => {
    const { explanation, ...answered } = explanationOf(evidence(given));
    expect(answered).toEqual({ answer, reason });
    expect(explanation).toMatch(/^[A-Z].+\.$/);
  });

  it('names the failure as the provider does', () => {
    const { explanation } = explanationOf(evidence({ outcomes: [{ error }] }));
    expect(explanation).toBe('Sending failed: INVALID_TOKEN, 410 Unregistered.');
    const local = { category: 'NO_TOKEN', code: '0', name: 'no_token', hour: HOUR };
    expect(explanationOf(evidence({ outcomes: [{ error: local }] })).explanation).toBe(
      'Sending failed: NO_TOKEN, no_token. The device had no push token.',
    );
  });

  it('contains until when an entry is in the inbox', () => {
    const answered = (days: number): string =>
      explanationOf(evidence({ days, plans: { plans: [{ ...plan, ...inInbox }] } })).explanation;
    expect(answered(1)).toMatch(/in the inbox alone, where it is until 2026-01-17T00:00:01Z unless/);
    expect(answered(2)).toMatch(/where it was until/);
  });

  it('contains the reason why a device in flight waits', () => {
    const answered = (attempt: object): string =>
      explanationOf(evidence({ outcomes: [{}], attempts: [attempt] })).explanation;
    const last = { category: 'QUOTA_EXCEEDED', code: '429', name: 'TooManyRequests' };
    expect(answered({ state: 'deferred', progress: { tries: 2, dueAt: AT, last } })).toBe(
      'The push is deferred until 2026-01-15T12:00:00Z after 2 failed tries. The last answer was QUOTA_EXCEEDED, 429 TooManyRequests.',
    );
    expect(answered({ state: 'deferred', progress: { tries: 0, dueAt: AT, outcomeUnknown: true } })).toMatch(
      /had no answer and may have been delivered\.$/,
    );
    expect(answered({ state: 'claimed', result: { category: 'SENT', code: '', name: '' } })).toMatch(/has accepted it/);
  });

  it('contains deliveries, opens and hidden notifications', () => {
    const answered = (outcome: object): string =>
      explanationOf(evidence({ outcomes: [{ sentHour: HOUR, ...outcome }] })).explanation;
    expect(answered({})).toMatch(/neither a delivery nor an open\.$/);
    expect(answered({ confirmed: { hour: HOUR + 1 } })).toMatch(
      /confirmed the delivery in the hour of 2026-01-15T13:00:00Z/,
    );
    expect(answered({ opened: { hour: HOUR + 2 }, bounce: 'BOUNCED_SOFT_SPAM' })).toMatch(
      /refused: BOUNCED_SOFT_SPAM\.$/,
    );
    expect(answered({ opened: { hour: HOUR + 2 }, displayable: false })).toMatch(
      /14:00:00Z\. Notifications .+ turned off/,
    );
  });
});

it.each(Object.entries(credentialFaults))('a sentence explains %s (R-P1)', (name, { sentence }) => {
  const fault = { category: 'INVALID_CONFIGURATION', code: '0', name, hour: HOUR };
  expect(explanationOf(evidence({ outcomes: [{ error: fault }] })).explanation).toBe(
    `Sending failed: INVALID_CONFIGURATION, ${name}. ${sentence}`,
  );
});
