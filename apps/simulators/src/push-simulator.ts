import { Attempts, perform, type Refusal, sceneOf } from './behaviour.ts';
import { ACCEPTED, type Push } from './ledger/entries.ts';
import type { Answer, Provider, ProviderName, ProviderRequest } from './provider.ts';
import type { Simulator, SimulatorDeps } from './simulator.ts';
import type { SpecialToken } from './special-tokens.ts';

export type Reply = Pick<Answer, 'status' | 'headers' | 'body'>;

export const jsonOf =
  (type: string) =>
  (status: number, value: unknown, headers: readonly string[] = []): Reply => ({
    status,
    headers: ['content-type', type, ...headers],
    body: JSON.stringify(value),
  });

/** Its reason is not among those of the service. */
export interface Refused extends Reply {
  readonly reason: string;
}

export interface ReceivedPush<Reason extends string> {
  readonly push: Push;
  readonly credential: string;
  /** It is refused for this, whatever its token requests. */
  readonly flaw: Reason | Refused | undefined;
  readonly special: SpecialToken | undefined;
  /** Replies to a request with several tokens. */
  readonly sendAll?: ((record: RecordPush) => Reply) | undefined;
}

export type RecordPush = (push: Push, status: number, reason: string) => void;

export interface PushApi<Reason extends string> {
  /** Undefined for requests of pushes. */
  grant?(request: ProviderRequest): Answer | undefined;
  receive(request: ProviderRequest): ReceivedPush<Reason>;
  accepted(push: Push, id: string, request: ProviderRequest): Reply;
  refused(reason: Reason, push: Push, id: string): Reply;
  reset?(): void;
}

/** A provider that takes a push by a request of HTTP and refuses it with one of its reasons. */
export interface PushService<Reason extends string> extends Pick<Simulator, 'http1' | 'idOf'> {
  readonly name: ProviderName;
  readonly reasons: Readonly<Record<Reason, unknown>>;
  readonly refusals: Readonly<Record<Exclude<Refusal, 'reason'>, Reason>>;
  /** Statuses with `Retry-After`. */
  readonly retryAfter: readonly number[];
  /** The body of an accepted reply, cut off. */
  readonly malformed: string;
  open(deps: SimulatorDeps): PushApi<Reason>;
}

export const pushSimulator = <Reason extends string>(service: PushService<Reason>): Simulator => ({
  http1: service.http1,
  idOf: service.idOf,
  isReason: (reason) => Object.hasOwn(service.reasons, reason),
  open: (deps) => providerOf(service, deps),
});

function providerOf<Reason extends string>(service: PushService<Reason>, deps: SimulatorDeps): Provider {
  const { name, refusals, retryAfter } = service;
  const api = service.open(deps);
  const faults = deps.faults.of(name);
  const attempts = new Attempts();

  const isReason = (text: string): text is Reason => Object.hasOwn(service.reasons, text);
  const reasonNamed = (text: string): Reason => (isReason(text) ? text : refusals.serverError);
  const nextId = (): string => deps.ledger.of(name).nextId();
  const record: RecordPush = (push, status, reason) => deps.ledger.of(name).record(push, status, reason);

  const accept = (push: Push, request: ProviderRequest): Answer => {
    const reply = api.accepted(push, nextId(), request);
    record(push, reply.status, ACCEPTED);
    return { does: 'answer', ...reply };
  };
  const refuse = (push: Push, flaw: Reason | Refused): Answer => {
    const { reason, status, headers, body } =
      typeof flaw === 'string' ? { reason: flaw, ...api.refused(flaw, push, nextId()) } : flaw;
    record(push, status, reason);
    const wait = retryAfter.includes(status) ? ['retry-after', String(faults.retryAfterSeconds)] : [];
    return { does: 'answer', status, headers: [...headers, ...wait], body };
  };

  return {
    name,
    handle(request) {
      const granted = api.grant?.(request);
      if (granted !== undefined) return granted;
      const { push, credential, flaw, special, sendAll } = api.receive(request);
      if (faults.answer !== null) return refuse(push, reasonNamed(faults.answer));
      if (flaw !== undefined) return refuse(push, flaw);
      if (sendAll !== undefined) return { does: 'answer', ...sendAll(record) };
      if (special === undefined) return accept(push, request);
      return perform(sceneOf({ ...special, token: push.token, credential }, attempts), {
        accept: () => accept(push, request),
        refuse: (as) => refuse(push, as === 'reason' ? reasonNamed(special.reason) : refusals[as]),
        garble: () => ({ ...accept(push, request), body: service.malformed }),
        vanish: (how) => record(push, 0, how),
      });
    },
    reset() {
      attempts.clear();
      api.reset?.();
    },
  };
}
