import { BadRequestException } from '@nestjs/common';
import { z } from 'zod';
import { isMailReply } from '../email/mail-addresses.ts';
import { tokenReplies } from '../oauth/token-replies.ts';
import { simulators } from '../provider-simulators.ts';
import { ignorableCommands } from '../sms/smpp-wire.ts';

const count = z.coerce.number().int().nonnegative();
const providerNames = [...simulators.keys()];
const provider = z.enum(providerNames);

export const entriesQuery = z.strictObject({
  provider,
  token: z.string().optional(),
  reason: z.string().optional(),
  limit: count.max(100_000).default(100),
  offset: count.default(0),
});

export const devicesQuery = entriesQuery.omit({ reason: true });

export const resetBody = z.strictObject({ keepPayloads: z.boolean().optional(), maxEntries: count.optional() });

export const faultsBody = z
  .strictObject({
    provider: z.enum([...providerNames, 'all']).default('all'),
    forMs: count.optional(),
    down: z.boolean().optional(),
    blackhole: z.boolean().optional(),
    latencyMs: count.optional(),
    goawayEvery: count.optional(),
    resetEvery: count.optional(),
    answer: z.string().nullable().optional(),
    tokenReply: z.enum(tokenReplies).nullable().optional(),
    ignoredCommand: z.enum(ignorableCommands).nullable().optional(),
    retryAfterSeconds: count.optional(),
  })
  .refine(({ provider: name, answer }) => answer == null || (simulators.get(name)?.isReason(answer) ?? false), {
    path: ['answer'],
    error: 'must be a reason of the one provider that is named',
  });

const text = z.string().min(1);

export const keysBody = z.strictObject({
  apns: z
    .array(z.strictObject({ keyId: text, teamId: text, publicKey: text, topics: z.array(text).optional() }))
    .optional(),
  vapid: z.array(text).optional(),
  clients: z.array(z.strictObject({ id: text, secret: text })).optional(),
  google: z.array(z.strictObject({ clientEmail: text, publicKey: text, projectId: text.optional() })).optional(),
});

export const accessTokensBody = z.strictObject({
  expireAll: z.boolean().optional(),
  lifetimeSeconds: count.optional(),
});

const mailPlace = { address: text, host: text.optional(), port: count.max(65_535) };

export const mailReportBody = z.discriminatedUnion('is', [
  z.strictObject({
    ...mailPlace,
    is: z.literal('bounced'),
    reply: z.string().refine(isMailReply, 'must be a reply of 4xx or 5xx'),
    action: z.enum(['failed', 'delayed']).optional(),
  }),
  z.strictObject({ ...mailPlace, is: z.literal('complained'), to: text, feedback: text.optional() }),
]);

export const clockBody = z.strictObject({ advance_seconds: z.number().nonnegative() });

/** Answers 400 with the error. */
export const parsed = <T>(shape: z.ZodType<T>, value: unknown): T => {
  const result = shape.safeParse(value ?? {});
  if (!result.success) throw new BadRequestException(z.prettifyError(result.error));
  return result.data;
};
