import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import type { Ledger } from '../ledger.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import type { ProviderFaults } from '../provider-faults.ts';
import type { SimulatorDeps } from '../simulator.ts';
import { parseSmsNumber } from './sms-numbers.ts';

export const REFUSED_TOKEN = 'wrong';

const PATH = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/;
const headers = ['content-type', 'application/json'];
const MEDIA_MAX = 10;

const errors: Readonly<Record<Exclude<Refusal, 'reason'>, readonly [status: number, code: number]>> = {
  dead: [400, 21_211],
  badToken: [400, 21_614],
  throttled: [429, 20_429],
  unavailable: [503, 20_503],
  serverError: [500, 20_500],
  payloadRefused: [400, 21_617],
  wrongTopic: [400, 21_606],
  expiredAuth: [401, 20_003],
};

export const twilioIdOf = (row: number): string => `SM${row.toString(16).padStart(32, '0')}`;

export const isTwilioCode = (reason: string): boolean => /^2\d{4}$/.test(reason);

/** `POST …/Messages.json`, a form with Basic authentication. */
export class Twilio implements Provider {
  readonly name = 'sms';
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #attempts = new Attempts();

  constructor({ ledger, faults }: SimulatorDeps) {
    this.#ledger = ledger;
    this.#faults = faults.of('sms');
  }

  handle({ method, path, headers: given, body }: ProviderRequest): Reaction {
    const form = new URLSearchParams(body.toString('utf8'));
    const fields = { to: form.get('To') ?? '', from: form.get('From') ?? '', body: form.get('Body') ?? '' };
    const media = form.getAll('MediaUrl');
    const callback = form.get('StatusCallback') ?? undefined;
    const push: Push = {
      token: fields.to,
      hash: `${fields.body} ${media.join(' ')}`,
      collapseId: '',
      id: '',
      payload: Buffer.from(JSON.stringify({ ...fields, media, callback })),
    };
    const account = PATH.exec(path)?.[1];
    if (account === undefined || method !== 'POST') return this.#refuse(push, 404, 20_404);
    const { answer } = this.#faults;
    if (answer !== null) return this.#refuse(push, 400, Number(answer));
    const flaw = flawOf(given.authorization ?? '', decodeURIComponent(account), fields, media);
    if (flaw) return this.#refuse(push, ...flaw);
    const { kind, argument } = parseSmsNumber(fields.to);
    if (kind === 'reason') return this.#refuse(push, 400, 21_600 + argument);
    const cue = { kind, argument, token: fields.to, credential: given.authorization ?? '' };
    return perform(sceneOf(cue, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#refuse(push, ...(as === 'reason' ? errors.serverError : errors[as])),
      garble: () => ({ ...this.#refuse(push, 400, 21_211), body: '{"code": 212' }),
      vanish: (reason) => this.#ledger.of(this.name).record(push, 0, reason),
    });
  }

  reset(): void {
    this.#attempts.clear();
  }

  #accept(push: Push): Answer {
    const sid = this.#ledger.of(this.name).nextId();
    this.#ledger.of(this.name).record({ ...push, id: sid }, 201, ACCEPTED);
    return { does: 'answer', status: 201, headers, body: JSON.stringify({ sid, status: 'queued', to: push.token }) };
  }

  #refuse(push: Push, status: number, code: number): Answer {
    this.#ledger.of(this.name).record(push, status, String(code));
    const waits = status === 429 || status === 503;
    return {
      does: 'answer',
      status,
      headers: waits ? [...headers, 'retry-after', String(this.#faults.retryAfterSeconds)] : headers,
      body: JSON.stringify({ code, message: `refused as ${code}`, more_info: '', status }),
    };
  }
}

interface Fields {
  readonly to: string;
  readonly from: string;
  readonly body: string;
}

/** Checked before the number. */
function flawOf(
  authorization: string,
  account: string,
  { to, from, body }: Fields,
  media: readonly string[],
): readonly [status: number, code: number] | undefined {
  const [user = '', ...rest] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':');
  if (user !== account || rest.join(':') === REFUSED_TOKEN) return [401, 20_003];
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return [400, 21_211];
  if (from === '') return [400, 21_603];
  if (body === '' && media.length === 0) return [400, 21_602];
  if (body.length > 1600) return [400, 21_617];
  return media.length > MEDIA_MAX ? [400, 21_623] : undefined;
}
