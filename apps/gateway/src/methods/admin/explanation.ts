import { failureSentence } from '@tidings/channels';
import type { explainAnswers } from '@tidings/contract';
import { type DeviceAttempt, DeviceOutcome, type MessageView, type PlansOfDeviceReply } from '@tidings/rpc';
import { isPushPlatform } from '@tidings/kernel';
import { rfc3339 } from '../times.ts';

export type Answer = (typeof explainAnswers)[number];

export interface Evidence {
  readonly application: string;
  readonly message: MessageView;
  readonly plans: PlansOfDeviceReply;
  readonly attempts: readonly DeviceAttempt[];
  readonly outcomes: readonly DeviceOutcome[];
  readonly now: number;
}

export interface Explanation {
  readonly answer: Answer;
  readonly reason: string | null;
  readonly explanation: string;
}

const SHOWN_MS = 30 * 86_400_000;

const exclusions: Readonly<Record<string, string>> = {
  CONTROL_GROUP: 'The user is in the control group of the application, which gets no marketing messages.',
  FREQUENCY_CAPPING: 'The device had as many messages as the frequency cap permits.',
  UNSUBSCRIBED: 'The address is unsubscribed.',
  BOUNCED: 'An earlier e-mail to the address bounced.',
  COMPLAINT: 'The recipient reported an earlier e-mail as spam.',
  FILTERED_BY_CATEGORY: 'The recipient has not chosen the category of the message.',
};

const nameOf = ({ category, code, name }: { category: string; code: string; name: string }): string =>
  code === '0' || code === '' ? `${category}, ${name}` : `${category}, ${code} ${name}`;

const hourText = (hour: number): string => rfc3339(new Date(hour * 3_600_000));

function sentText({ displayable, confirmed, opened, bounce }: DeviceOutcome): string {
  if (bounce !== '') return `The e-mail came back, or was refused: ${bounce}.`;
  const shown = displayable ? '' : ' Notifications of the device were turned off at that time.';
  if (opened) return `It opened the message in the hour of ${hourText(opened.hour)}.${shown}`;
  if (confirmed) return `It confirmed the delivery in the hour of ${hourText(confirmed.hour)}.${shown}`;
  return `It has confirmed neither a delivery nor an open.${shown}`;
}

function waitText(attempt: DeviceAttempt | undefined): string {
  if (!attempt) return 'The push waits to be sent.';
  const { result, progress, state } = attempt;
  if (result) {
    const what = result.category === 'SENT' ? 'accepted it' : `refused it (${nameOf(result)})`;
    return `The provider has ${what}; the figures follow with the rest of its slice.`;
  }
  if (state === 'claimed') return 'The push is being sent.';
  if (!progress) return 'The push is being settled.';
  const unknown = progress.outcomeUnknown ? ' The last try had no answer and may have been delivered.' : '';
  const last = progress.last ? ` The last answer was ${nameOf(progress.last)}.` : '';
  return `The push is deferred until ${rfc3339(progress.dueAt) ?? 'later'} after ${progress.tries} failed tries.${last}${unknown}`;
}

const rank = ({ excluded, sentHour, error }: DeviceOutcome): number => {
  if (excluded !== '') return 3;
  if (sentHour !== undefined) return 0;
  return error ? 2 : 1;
};

/** Until statistics have the outcomes. */
export const plannedOutcomes = ({ plans }: PlansOfDeviceReply): DeviceOutcome[] =>
  plans
    .filter(({ inboxOnly }) => !inboxOnly)
    .map(({ platform, excluded, failure, at }) =>
      DeviceOutcome.fromPartial({
        platform,
        excluded,
        displayable: true,
        error: failure && { ...failure, hour: Math.floor((at?.getTime() ?? 0) / 3_600_000) },
      }),
    );

const excludedBy = (reason: string): Explanation => ({
  answer: 'EXCLUDED',
  reason,
  explanation: exclusions[reason] ?? `The device was excluded: ${reason}.`,
});

function inboxExplanation({ plans: { plans }, now }: Evidence): Explanation | undefined {
  const saved = plans.findLast(({ inboxOnly, excluded }) => inboxOnly && excluded === '');
  const excluded = plans.find(({ inboxOnly }) => inboxOnly);
  if (!saved?.inboxUntil) return excluded && excludedBy(excluded.excluded);
  const verb = saved.inboxUntil.getTime() > now ? 'is' : 'was';
  const until = `where it ${verb} until ${rfc3339(saved.inboxUntil)} unless the user deleted it`;
  const explanation = `The device had no push token: it got the message in the inbox alone, ${until}.`;
  return { answer: 'INBOX_ONLY', reason: 'no_token', explanation };
}

function outcomeExplanation(outcome: DeviceOutcome, attempts: readonly DeviceAttempt[]): Explanation {
  const { excluded, sentHour, error } = outcome;
  if (excluded !== '') return excludedBy(excluded);
  if (sentHour !== undefined) {
    const explanation = `The provider accepted the push in the hour of ${hourText(sentHour)}. ${sentText(outcome)}`;
    return { answer: 'SENT', reason: null, explanation };
  }
  if (error) {
    const explanation = `Sending failed: ${nameOf(error)}. ${failureSentence(error)}`.trimEnd();
    return { answer: 'FAILED', reason: error.category, explanation };
  }
  const open = attempts.find(({ state }) => state !== 'settled') ?? attempts[0];
  return { answer: 'IN_FLIGHT', reason: open?.state ?? 'waiting', explanation: waitText(open) };
}

function reachesPlatform({ message: { message }, plans }: Evidence): boolean {
  const { platform } = plans.device!;
  const platforms = message?.audience?.platforms ?? [];
  if (platforms.length > 0) return platforms.includes(platform);
  return message?.listedRecipients === true || isPushPlatform(platform);
}

interface NoPlace {
  readonly reason: string;
  readonly explanation: string;
  readonly applies: (evidence: Evidence) => boolean | undefined;
}

const noPlaces: readonly NoPlace[] = [
  {
    reason: 'deleted',
    explanation: 'The device was deleted, and the message had no place for it.',
    applies: ({ plans: { device } }) => device?.deleted,
  },
  {
    reason: 'registered_later',
    explanation: 'The device was registered after the recipients were decided.',
    applies: ({ plans: { device, decidedAt } }) => device?.createdAt && decidedAt && device.createdAt > decidedAt,
  },
  {
    reason: 'platform',
    explanation: 'The message does not address the platform of the device.',
    applies: (evidence) => !reachesPlatform(evidence),
  },
  {
    reason: 'not_joined',
    explanation: 'The device has not entered the zone of the message since the message began.',
    applies: ({ message: { message } }) => message?.source === 'GEO_ZONE',
  },
  {
    reason: 'not_named',
    explanation: 'The message was sent to listed recipients, and the device is not one of them.',
    applies: ({ message: { message } }) => message?.listedRecipients,
  },
  {
    reason: 'no_token',
    explanation: 'The device has no push token, and only devices with one are selected.',
    applies: ({ plans: { device } }) => !device?.hasToken,
  },
];

const NOT_SELECTED = {
  reason: 'filter',
  explanation: 'The device did not match the conditions of the message when the recipients were decided.',
};

function notAddressed(evidence: Evidence): Explanation {
  const { reason, explanation } = noPlaces.find(({ applies }) => applies(evidence)) ?? NOT_SELECTED;
  return { answer: 'NOT_ADDRESSED', reason, explanation };
}

function messageExplanation({ message, application, plans, now }: Evidence): Explanation | undefined {
  const { status, releasedAt, message: accepted } = message;
  if (!accepted?.applications.includes(application)) {
    const explanation = 'The message was sent to other applications.';
    return { answer: 'NOT_ADDRESSED', reason: 'application', explanation };
  }
  if (releasedAt && now - releasedAt.getTime() > SHOWN_MS) {
    const explanation = 'The message is older than 30 days: outcomes of devices are not shown any more.';
    return { answer: 'EXPIRED', reason: null, explanation };
  }
  if (plans.decided > 0 || plans.split) return undefined;
  if (status === 'CANCELED') {
    return { answer: 'CANCELED', reason: null, explanation: 'The message was canceled before it was sent.' };
  }
  if (!releasedAt) {
    const due = accepted.sendAt ? ` It is due at ${rfc3339(accepted.sendAt)}.` : '';
    return { answer: 'NOT_RELEASED', reason: null, explanation: `The message is not sent yet.${due}` };
  }
  return { answer: 'NOT_DECIDED', reason: null, explanation: 'The recipients are being determined.' };
}

export function explanationOf(evidence: Evidence): Explanation {
  const general = messageExplanation(evidence);
  if (general) return general;
  const { plans, attempts } = evidence;
  const outcomes = evidence.outcomes.length > 0 ? evidence.outcomes : plannedOutcomes(plans);
  const [best] = outcomes.toSorted((a, b) => rank(a) - rank(b));
  if (best) return outcomeExplanation(best, attempts);
  const inbox = inboxExplanation(evidence);
  if (inbox) return inbox;
  if (plans.undecided) {
    const explanation = 'The recipients among the devices with neighbouring numbers are being determined.';
    return { answer: 'NOT_DECIDED', reason: null, explanation };
  }
  return notAddressed(evidence);
}
