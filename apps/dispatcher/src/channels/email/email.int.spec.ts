import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type MailReference, mailTokenKeyOf, parseMailToken, tokenInReturnPath } from '@tidings/channels';
import { EmailContent, type SendBatch } from '@tidings/events';
import { openNodeLink } from '@tidings/http2';
import { seqOf } from '@tidings/kernel';
import { AddressGuard } from '@tidings/runtime';
import { until } from '@tidings/testing';
import { type ParsedMail, simpleParser } from 'mailparser';
import { LaneWorld } from '../../testing/lane-world.ts';
import { sendBatch, type TestDevice } from '../../testing/test-batches.ts';
import {
  mailAddress,
  mailReplyAddress,
  REFUSED_USER,
  type Simulators,
  startSimulators,
} from '../../testing/test-simulators.ts';
import { emailChannel, type EmailDeps } from './email-channel.ts';
import type { MailNames } from './mail-exchangers.ts';

interface Scene {
  readonly simulators: Simulators;
  readonly world: LaneWorld;
  mails(): Promise<ParsedMail[]>;
  mailNamed(token: string): MailReference | undefined;
}

type Deps = Partial<Pick<EmailDeps, 'url' | 'names' | 'bounceDomain'>>;

const DAY_MS = 86_400_000;
const credential = { application: 'AAAAA-00000', platform: 14, version: 1 };
const sender = { email_from_email: 'shop@example.com', email_from_name: 'Shop', email_reply: 'help@example.com' };

const to = (address: string, position = 0): TestDevice => ({ position, token: address });
const accepted = (count: number, domain?: string): TestDevice[] =>
  Array.from({ length: count }, (_, i) => to(mailAddress('accepted', i, 0, domain), i));

const batch = (devices: readonly TestDevice[], fields: Partial<SendBatch> = {}): SendBatch =>
  sendBatch([{ number: 0, devices }], { platform: 14, credential, atMostOnce: true, ...fields });

const namesWith = (mx: Readonly<Record<string, readonly string[]>>): MailNames => ({
  async mx(domain) {
    if (domain === 'mute.example') throw Object.assign(new Error(domain), { code: 'ESERVFAIL' });
    const hosts = mx[domain];
    if (!hosts) throw Object.assign(new Error(domain), { code: 'ENOTFOUND' });
    return hosts.map((exchange, priority) => ({ exchange, priority }));
  },
  async addresses(host) {
    if (host.endsWith('.gone')) throw Object.assign(new Error(host), { code: 'ENOTFOUND' });
    return ['127.0.0.1'];
  },
});

const returnPathOf = ({ headers }: ParsedMail): string =>
  (headers.get('return-path') as { readonly text: string }).text;

const scenario = (title: string, test: (scene: Scene) => Promise<void>, depsOf?: (url: string) => Deps): void =>
  it.concurrent(title, async () => {
    const simulators = await startSimulators({ control: false, keepPayloads: true });
    const { smtpUrl } = simulators;
    let mailKey: KeyObject;
    const world = new LaneWorld(
      { 14: { settings: sender } },
      (parts) => {
        mailKey = mailTokenKeyOf(parts.reportKey);
        return emailChannel({
          ...parts,
          publicUrl: 'https://push.example',
          onFailure: () => undefined,
          url: smtpUrl,
          port: Number(new URL(smtpUrl).port),
          ...depsOf?.(smtpUrl),
        });
      },
      simulators.clock,
      openNodeLink,
    );
    const mails = (): Promise<ParsedMail[]> =>
      Promise.all(
        simulators.ledger
          .of('email')
          .entries({ reason: 'accepted', limit: 1000 })
          .map(({ payload }) => simpleParser(payload!)),
      );
    try {
      await test({ simulators, world, mails, mailNamed: (token) => parseMailToken(mailKey, token) });
    } finally {
      await world.close();
      await simulators.close();
    }
  });

describe('channel email, by a relay', () => {
  scenario('identifies each recipient by an image of its own', async ({ world, mails }) => {
    await world.send(batch(accepted(30)));
    const all = await mails();
    expect(all[0]).toMatchObject({ text: 'Hello', from: { text: '"Shop" <shop@example.com>' } });
    expect(all[0]!.headers.has('list')).toBe(false);
    const images = all.map(({ html }) => /^Hello<img src="([^"]+)"/.exec(String(html))?.[1]);
    expect(new Set(images).size).toBe(30);
  });

  scenario('writes all fields of a message, with copies and attachments', async ({ world, mails, simulators }) => {
    const content = {
      ...batch([]).content!,
      email: EmailContent.fromPartial({
        subject: { entries: [{ language: 'default', text: 'Grüße, {{Name|CapitalizeFirst|you}}' }] },
        body: { entries: [{ language: 'default', text: '<p>Dear {{Name}},</p><p>.</p>' }] },
        from: { address: 'team@example.org', name: 'Team "A"' },
        bcc: ['archive@example.com'],
        attachments: [{ name: 'a.txt', content: Buffer.from('one\n') }],
        listUnsubscribe: 'https://example.com/leave',
      }),
      tags: ['Name'],
    };
    await world.send(batch([{ ...to('anna@example.com'), values: ['anna <b>\r\nBcc: x@y.z'] }], { content }));
    await until(async () => (await mails()).length >= 2);
    const [mail, copy] = await mails();
    expect(mail!.subject).toBe('Grüße, Anna <b> Bcc: x@y.z');
    expect(mail!.html).toMatch(/^<p>Dear anna &lt;b&gt;\nBcc: x@y.z,<\/p><p>.<\/p><img [^>]*>$/);
    expect(mail!.from!.value).toEqual([{ address: 'team@example.org', name: 'Team "A"' }]);
    expect(mail!.bcc).toBeUndefined();
    expect(mail!.attachments.map(({ filename, content: bytes }) => [filename, bytes.toString()])).toEqual([
      ['a.txt', 'one\n'],
    ]);
    expect(copy!.html).toBe(mail!.html);
    expect(
      simulators.ledger
        .of('email')
        .entries()
        .map(({ token }) => token),
    ).toEqual(['anna@example.com', 'archive@example.com']);
  });

  scenario(
    'gives each mail a return path of its own, and copies that of the sender',
    async ({ world, mails, mailNamed }) => {
      const content = { ...batch([]).content!, email: EmailContent.fromPartial({ bcc: ['archive@example.com'] }) };
      const releasedAt = new Date(world.clock.now());
      await world.send(batch(accepted(2), { content, releasedAt, chunk: 1 }));
      await until(async () => (await mails()).length >= 4);
      const paths = (await mails()).map(returnPathOf);
      expect(paths.filter((path) => path === 'shop@example.com')).toHaveLength(2);
      const named = paths.flatMap((path) => {
        const [local = '', domain] = path.split('@');
        const token = tokenInReturnPath(local);
        return token !== undefined && domain === 'bounces.example' ? [mailNamed(token)] : [];
      });
      const { message, messageId, application } = batch([]);
      const mailing = { message, messageId, application, sentAt: Math.ceil(releasedAt.getTime() / 1000) };
      expect(named.sort((one, other) => one!.seq - other!.seq)).toEqual(
        [seqOf(1, 0), seqOf(1, 1)].map((seq) => ({ ...mailing, seq })),
      );
    },
    (url) => ({ url, bounceDomain: 'bounces.example' }),
  );

  scenario("counts refusals by the recipient's server as sent and bounced", async ({ world }) => {
    const outcomes = await world.send(
      batch([
        to(mailAddress('dead', 0), 0),
        to(mailAddress('payloadRefused', 1), 1),
        to(mailReplyAddress('552 5.2.2 full', 2), 2),
        ...accepted(1).map((each) => ({ ...each, position: 3 })),
      ]),
    );
    expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
    expect(world.bounces()).toEqual(
      new Map([
        [0, 'BOUNCED_HARD_GENERAL'],
        [1, 'BOUNCED_SOFT_CONTENT_REJECTED'],
        [2, 'BOUNCED_HARD_MAILBOX_FULL'],
      ]),
    );
  });

  scenario('retries after 4xx, for a day at most, and classifies the last one', async ({ world }) => {
    const startedAt = world.clock.now();
    const outcomes = await world.send(
      batch([
        to(mailAddress('throttled', 0, 2), 0),
        to(mailReplyAddress('452 4.2.2 full', 1), 1),
        to(mailAddress('unavailable', 2, 1), 2),
      ]),
    );
    expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
    expect(world.bounces()).toEqual(new Map([[1, 'BOUNCED_SOFT_MAILBOX_FULL']]));
    const hours = (world.clock.now() - startedAt) / 3_600_000;
    expect(hours).toBeGreaterThan(16);
    expect(hours).toBeLessThan(25);
  });

  scenario('checks contacts again before a retry (R-E14, R-E18)', async ({ world, simulators }) => {
    const addresses = [0, 1, 2, 3, 4, 5].map((n) => mailReplyAddress('452 4.2.2 full', n));
    const content = { ...batch([]).content!, email: EmailContent.fromPartial({ category: 'News' }) };
    await world.dispatch(
      batch(
        addresses.map((address, i) => to(address, i)),
        { content, marketing: true, chunk: 3 },
      ),
    );
    expect(world.compared).toEqual([]);
    world.suppressed.set(0, 'BOUNCED').set(1, 'COMPLAINT').set(2, 'UNSUBSCRIBED');
    world.suppressed.set(3, 'FILTERED_BY_CATEGORY').set(4, 'GONE');
    await world.settle(undefined, true);
    expect(world.compared[0]).toEqual({
      account: 'default',
      application: 'AAAAA-00000',
      chunk: 3,
      positions: [0, 1, 2, 3, 4, 5],
      marketing: true,
      category: 'News',
    });
    expect(world.compared.at(-1)!.positions).toEqual([5]);
    expect([...world.deviceOutcomes()].toSorted(([a], [b]) => a - b)).toEqual([
      [0, 'SENT'],
      [1, 'UNCLASSIFIED_ERROR 0 complaint'],
      [2, 'UNCLASSIFIED_ERROR 0 unsubscribed'],
      [3, 'UNCLASSIFIED_ERROR 0 filtered_by_category'],
      [4, 'NO_DEVICE 0 no_device'],
      [5, 'SENT'],
    ]);
    expect(world.bounces()).toEqual(
      new Map([
        [0, 'BOUNCED_HARD_SUPPRESSED'],
        [5, 'BOUNCED_SOFT_MAILBOX_FULL'],
      ]),
    );
    const tries = addresses.map((token) => simulators.ledger.of('email').entries({ token }).length);
    expect(tries.slice(0, 5)).toEqual([1, 1, 1, 1, 1]);
    expect(tries[5]).toBeGreaterThan(5);
  });

  scenario('retries no device while the registry does not answer', async ({ world, simulators }) => {
    const address = mailAddress('throttled', 0, 1);
    await world.dispatch(batch([to(address)]));
    const tries = (): number => simulators.ledger.of('email').entries({ token: address }).length;
    const dueAt = world.nextDue()!;
    world.registryIsDown = true;
    world.advanceTo(dueAt);
    await world.until(() => (world.nextDue() ?? 0) > dueAt, undefined, false);
    expect(tries()).toBe(1);
    world.registryIsDown = false;
    await world.settle(undefined, true);
    expect([...world.deviceOutcomes().values()]).toEqual(['SENT']);
    expect([tries(), world.compared.length]).toEqual([2, 1]);
  });

  scenario('sends copies of accepted mails only, once', async ({ world, simulators }) => {
    const content = { ...batch([]).content!, email: EmailContent.fromPartial({ bcc: ['archive@example.com'] }) };
    const devices = [
      to(mailAddress('throttled', 0, 2), 0),
      to(mailReplyAddress('452 4.2.2 full', 1), 1),
      to(mailReplyAddress('550 5.1.1 unknown', 2), 2),
    ];
    await world.send(batch(devices, { content }));
    const copies = (): number => simulators.ledger.of('email').entries({ token: 'archive@example.com' }).length;
    await until(() => copies() > 0);
    expect(copies()).toBe(1);
  });

  scenario('retries mails for a day without a relay, and then reports so', async ({ world, simulators }) => {
    await simulators.faults.set('email', { down: true });
    await world.dispatch(batch(accepted(3)));
    world.advanceTo(world.clock.now() + DAY_MS - 60_000);
    await delay(1500);
    expect(world.open()).toHaveLength(1);
    await world.settle(60_000, true);
    expect(new Set(world.deviceOutcomes().values())).toEqual(new Set(['PROVIDER_ERROR 0 connection_refused']));
  });

  scenario(
    'reports that the relay refuses the login',
    async ({ world }) => {
      const outcomes = await world.send(batch(accepted(2)));
      expect([...outcomes.values()]).toEqual(Array(2).fill('INVALID_CONFIGURATION 535 5.7.8'));
    },
    (url) => ({ url: url.replace('smtp://', `smtp://${REFUSED_USER}:x@`) }),
  );

  scenario('refuses invalid addresses', async ({ world }) => {
    const outcomes = await world.send(batch([to('a@b@example.com', 0), to('a b@example.com', 1)]));
    expect([...outcomes.values()]).toEqual(Array(2).fill('INVALID_TOKEN 0 invalid_address'));
  });
});

describe('channel email, without a relay', () => {
  const direct = (names: MailNames) => (): Deps => ({ url: undefined, names });

  scenario(
    'sends each mail, and each copy, to a server of its domain',
    async ({ world, simulators }) => {
      const content = { ...batch([]).content!, email: EmailContent.fromPartial({ bcc: ['copy@third.example'] }) };
      const devices = [...accepted(20, 'one.example'), to('a@two.example', 20)];
      const outcomes = await world.send(batch(devices, { content }));
      expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
      const copies = (): number => simulators.ledger.of('email').entries({ token: 'copy@third.example' }).length;
      await until(() => copies() >= 21);
      expect(simulators.ledger.summary().email.tokens).toBe(22);
    },
    direct(namesWith({ 'one.example': ['a.gone', 'mx.one.example'], 'two.example': [], 'third.example': ['mx'] })),
  );

  scenario(
    'counts a domain that accepts no mail as a bounce, and one without servers that reply after a day',
    async ({ world }) => {
      await world.dispatch(batch([to('a@null.example', 0), to('a@absent.gone', 1), to('a@mute.example', 2)]));
      world.advanceTo(world.clock.now() + DAY_MS);
      await world.settle(60_000, true);
      expect(new Set(world.deviceOutcomes().values())).toEqual(new Set(['SENT']));
      expect(world.bounces()).toEqual(
        new Map([
          [0, 'BOUNCED_HARD_GENERAL'],
          [1, 'BOUNCED_HARD_GENERAL'],
          [2, 'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED'],
        ]),
      );
    },
    direct(namesWith({ 'null.example': ['.'] })),
  );

  scenario(
    'never connects to a private network for a domain',
    async ({ world, simulators }) => {
      const outcomes = await world.send(batch([to('a@inside.example', 0)]));
      expect([...outcomes.values()]).toEqual(['INVALID_TOKEN 0 private_address']);
      expect(simulators.ledger.summary().email.accepted).toBe(0);
    },
    direct({
      mx: async () => [{ exchange: 'mx', priority: 0 }],
      addresses: () => new AddressGuard([]).resolve('127.0.0.1').then((found) => found.map(({ address }) => address)),
    }),
  );
});
